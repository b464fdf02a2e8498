/** Random choices from a seed, so that a conversation can be repeated. */
import type { Random } from '../helpers/seeded-random.js'
import { seededRandom } from '../helpers/seeded-random.js'

/** Makes choices. */
export class RandomChoices {
  readonly #random: Random

  /** @param place - Which of the conversations of a seed: each can be had without those before it. */
  constructor(seed: number, place: number) {
    this.#random = seededRandom(Math.imul(seed + 1, 0x9e_37_79_b1) ^ Math.imul(place + 1, 0x85_eb_ca_6b))
  }

  /** An integer from 0 up to but not including a limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** Tells whether something happens that does so with a probability. */
  happens(probability: number): boolean {
    return this.#random() < probability
  }

  /** One of several. @throws {RangeError} There are none. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  /** Text of so many characters. */
  text(characters: string, length: number): string {
    return Array.from({ length }, () => characters.charAt(this.below(characters.length))).join('')
  }
}
