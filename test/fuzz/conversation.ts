/** Conversations: the bytes that are sent on one connection, and the expected responses. */
import { RandomChoices } from './random-choices.js'
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

/** Creates a conversation of one to five requests. */
export function makeConversation(
  seed: number,
  place: number,
  makeRequest: (chance: RandomChoices) => FuzzRequest,
): Conversation {
  const chance = new RandomChoices(seed, place)
  const requests: FuzzRequest[] = []
  for (let left = 1 + chance.below(5); left > 0; left--) {
    requests.push(makeRequest(chance))
    if (requests.at(-1)?.fate === 'unknown') break
  }
  const size = requests.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const pieces = chance.happens(0.1) ? Array.from({ length: chance.below(6) }, () => 1 + chance.below(size)) : []
  return { seed, place, requests, pieces, cutAt: chance.happens(0.03) ? chance.below(size) : undefined }
}

/** Returns all bytes that are sent. */
export const bytesOf = ({ requests }: Conversation): Buffer => Buffer.concat(requests.map(({ bytes }) => bytes))
