/** Sends a conversation over a plain socket and reads the responses. */
import { connect } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'

import type { Conversation } from './conversation.js'
import { bytesOf } from './conversation.js'
import type { WireReply } from './parse-responses.js'
import { NoReplyError, readReplies } from './parse-responses.js'

export interface Outcome {
  readonly replies: readonly WireReply[]
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
