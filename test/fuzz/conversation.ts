/** Conversations: the bytes that are sent on one connection, and the expected responses. */
import fc from 'fast-check'

import { mostly } from './arbitraries.js'
import type { FuzzRequest } from './requests.js'

/** The bytes that are sent on one connection. */
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
  return {
    seed,
    place,
    requests,
    pieces: pieces.map((piece) => 1 + (piece % size)),
    cutAt: cutAt === undefined ? undefined : cutAt % size,
  }
}

/** Returns all bytes that are sent. */
export const bytesOf = ({ requests }: Conversation): Buffer => Buffer.concat(requests.map(({ bytes }) => bytes))
