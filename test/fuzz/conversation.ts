/** Conversations: the bytes that are sent on one connection, and the expected responses. */
import { connect } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'

import fc from 'fast-check'

import { NoReplyError, readReplies, type Reply } from '../helpers/http.js'
import { mostly } from './arbitraries.js'
import type { FuzzRequest } from './requests.js'

export interface Conversation {
  readonly seed: number
  readonly place: number
  /** Only the last one may be `unknown`. */
  readonly requests: readonly FuzzRequest[]
  /** The size of each piece, bytes, if it is sent in several. */
  readonly pieces: readonly number[]
  /** The number of bytes that are sent before the client disconnects. Undefined: it waits for the end. */
  readonly cutAt: number | undefined
}

/** Creates a conversation of one to five requests. A place has the same one in every run of its seed. */
export function makeConversation(seed: number, place: number, request: fc.Arbitrary<FuzzRequest>): Conversation {
  const sampled = fc.record({
    all: fc.array(request, { minLength: 1, maxLength: 5 }),
    pieces: mostly(10, fc.array(fc.nat(), { maxLength: 5 }), fc.constant<number[]>([])),
    cutAt: mostly(3, fc.nat(), fc.constant(undefined)),
  })
  const mixed = Math.imul(seed + 1, 0x9e_37_79_b1) ^ Math.imul(place + 1, 0x85_eb_ca_6b)
  const [given] = fc.sample(fc.noBias(sampled), { seed: mixed, numRuns: 1 })
  if (!given) throw new Error('fast-check made no conversation')
  const { all, cutAt, pieces } = given
  const last = all.findIndex(({ fate }) => fate === 'unknown')
  const requests = last === -1 ? all : all.slice(0, last + 1)
  const size = requests.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const sizes = pieces.map((piece) => 1 + (piece % size))
  return { seed, place, requests, pieces: sizes, cutAt: cutAt === undefined ? undefined : cutAt % size }
}

export const bytesOf = ({ requests }: Conversation): Buffer => Buffer.concat(requests.map(({ bytes }) => bytes))

export interface Outcome {
  readonly replies: readonly Reply[]
  /** The bytes after the last complete response. */
  readonly rest: Buffer
  /** The bytes that are not a response. Undefined: none. */
  readonly nonsense: string | undefined
  /** The side that ended the connection: the double, the client, or neither of them within the time limit. */
  readonly endedBy: 'double' | 'client' | 'nobody'
}

/** Time limit for a response or the close of the connection, in milliseconds. */
const patienceMs = 3000

/** Time without data after which a client that does not know the number of responses ends the connection, in milliseconds. */
const quietMs = 20

/** Sends a conversation. @param patience - Factor of the time limits, for a busy machine. */
export async function converse(port: number, conversation: Conversation, patience: number): Promise<Outcome> {
  const { cutAt, pieces, requests } = conversation
  const methods = requests.map(({ method }) => method)
  const isUnknown = requests.at(-1)?.fate === 'unknown'
  const owed = isUnknown ? requests.length - 1 : requests.length
  const chunks: Buffer[] = []
  let endedBy: Outcome['endedBy'] | undefined = cutAt === undefined ? undefined : 'client'
  let quiet: NodeJS.Timeout | undefined
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  const end = (): void => {
    endedBy ??= 'client'
    socket.end()
  }
  const look = (): void => {
    if (countReplies(chunks, methods) < owed) return
    // Surplus bytes would arrive at once. They are read until the double closes too.
    clearTimeout(quiet)
    if (isUnknown) quiet = setTimeout(end, quietMs)
    else if (!['closed', 'ended'].includes(requests.at(-1)?.fate ?? '')) end()
  }
  const closed = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      endedBy = 'nobody'
      socket.destroy()
    }, patienceMs * patience)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      timer.refresh()
      look()
    })
    socket.on('end', () => {
      endedBy ??= 'double'
      socket.end()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      clearTimeout(quiet)
      resolve()
    })
  })
  for (const piece of cutInto(bytesOf(conversation).subarray(0, cutAt), pieces)) {
    socket.write(piece)
    if (pieces.length > 0) await breathe()
  }
  if (cutAt === undefined) look()
  else if (cutAt % 2 === 0) socket.end()
  else if (socket.connecting) socket.once('connect', () => socket.resetAndDestroy())
  else socket.resetAndDestroy()
  await closed
  return { ...read(chunks, methods), endedBy: endedBy ?? 'double' }
}

function countReplies(chunks: readonly Buffer[], methods: readonly string[]): number {
  const { nonsense, replies } = read(chunks, methods)
  return nonsense === undefined ? replies.length : Number.POSITIVE_INFINITY
}

function read(chunks: readonly Buffer[], methods: readonly string[]): Omit<Outcome, 'endedBy'> {
  try {
    return { ...readReplies(Buffer.concat(chunks), methods), nonsense: undefined }
  } catch (error) {
    if (!(error instanceof NoReplyError)) throw error
    const all = Buffer.concat(chunks).toString('latin1')
    return { replies: [], rest: Buffer.alloc(0), nonsense: `${error.message}, in ${JSON.stringify(all)}` }
  }
}

function cutInto(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  let at = 0
  const found = sizes.map((size) => bytes.subarray(at, (at += size)))
  return [...found, bytes.subarray(at)].filter((piece) => piece.length > 0)
}
