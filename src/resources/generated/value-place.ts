/** The place of a generated value. Everything random about the value follows from it, so no other value changes it. */
import { wordsOf } from '../names.js'

/** Hashes a text to 32 bits: FNV-1a, and a last step that mixes the bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The record that a value belongs to. */
export interface RecordPlace {
  readonly seed: number
  readonly collection: string
  /** From 0. */
  readonly position: number
  /** Every generated time lies before it; milliseconds since 1970. */
  readonly now: number
}

export class ValuePlace {
  readonly record: RecordPlace
  readonly path: readonly string[]
  /** What the object around the value is, in the singular: `user`. */
  readonly noun: string
  #words: string | undefined

  constructor(record: RecordPlace, path: readonly string[], noun: string) {
    this.record = record
    this.path = path
    this.noun = noun
  }

  /** The words of the property's name; of an item, those of the array's name. */
  get words(): string {
    return (this.#words ??= wordsOf(this.path.findLast((name) => !/^\d+$/u.test(name)) ?? '').join(' '))
  }

  /** A number from 1 that differs between records, and mostly between the items in a record. */
  get number(): number {
    const items = this.path.filter((name) => /^\d+$/u.test(name)).map(Number)
    return items.reduce((sum, index) => sum * 3 + index, this.record.position) + 1
  }

  at(name: string | number): ValuePlace {
    return new ValuePlace(this.record, [...this.path, String(name)], this.noun)
  }

  /** The place of the list or the object around the value. */
  get around(): ValuePlace {
    return new ValuePlace(this.record, this.path.slice(0, -1), this.noun)
  }

  of(noun: string): ValuePlace {
    return new ValuePlace(this.record, this.path, noun)
  }

  /** Returns a number from 0 to `count` - 1. @param use - Tells several numbers of one place apart. */
  below(count: number, use = ''): number {
    const { collection, position, seed } = this.record
    return Math.floor((hashText([seed, collection, position, ...this.path, use].join('\0')) / 2 ** 32) * count)
  }

  /** Returns a number of a range, both ends included. */
  between(least: number, most: number, use = ''): number {
    return least + this.below(most - least + 1, use)
  }

  /**
   * Chooses from a list so that records repeat a choice only when they have used up the list.
   *
   * @param shared - Properties of one object that give the same name get the same choice. Default: the choice is that of the property.
   */
  spread<T>(list: readonly [T, ...T[]] | readonly T[], shared?: string): T {
    const { collection, position, seed } = this.record
    const key = [seed, collection, ...(shared === undefined ? this.path : [...this.path.slice(0, -1), shared])].join(
      '\0',
    )
    const count = list.length
    let step = 1 + (hashText(`${key}\0step`) % Math.max(1, count - 1))
    while (greatestDivisor(step, count) !== 1) step += 1
    return list[(hashText(key) + position * step) % count] as T
  }
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other)
