/** Random choices from a seed, so that a conversation can be repeated. */
import type { Random } from '../helpers/seeded-random.js'
import { seededRandom } from '../helpers/seeded-random.js'

/** Makes choices. */
export class RandomChoices {
  readonly #random: Random

  /** @param place - The number of the conversation in its seed, so that it can be repeated without those before it. */
  constructor(seed: number, place: number) {
    this.#random = seededRandom(Math.imul(seed + 1, 0x9e_37_79_b1) ^ Math.imul(place + 1, 0x85_eb_ca_6b))
  }

  /** Returns an integer from 0 to less than a limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Returns true with a probability. */
  happens(probability: number): boolean {
    return this.#random() < probability
  }

  /** Returns one of several items. @throws {RangeError} There are none. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** Returns a text of this length. */
  text(characters: string, length: number): string {
    return Array.from({ length }, () => characters.charAt(this.below(characters.length))).join('')
  }
}
