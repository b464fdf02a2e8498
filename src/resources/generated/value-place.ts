/** The place of a generated value. Everything random about the value follows from it, so no other value changes it. */
import { inWords, singularOf } from '../names.js'

/** Hashes a text to 32 bits: FNV-1a, and a last step that mixes the bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export interface RecordPlace {
  readonly seed: number
  readonly collection: string
  /** From 0. */
  readonly position: number
  /** Every generated time lies before it; milliseconds since 1970. */
  readonly now: number
  readonly noun: string
}

/** An object in one of these properties is a part of the thing around it, not another thing. */
const partWords =
  /^(?:attributes|content|data|details?|fields|info|information|meta|metadata|properties|spec|values?)$/u

export class ValuePlace {
  readonly record: RecordPlace
  /** The place of the object or the list around the value. Undefined: this is the record's. */
  readonly around: ValuePlace | undefined
  readonly name: string | number
  /** The noun of the object around the value, in the singular: `user`. */
  readonly noun: string
  /** The words of the property's name; of an item, those of the list's name. */
  readonly words: string
  /** From 1. It differs between records, and mostly between the items in a record. */
  readonly number: number
  /** The names of the properties next to the value, and its own. */
  readonly siblings: ReadonlySet<string>
  readonly #key: string

  constructor(record: RecordPlace, around?: ValuePlace, name: string | number = '', siblings?: ReadonlySet<string>) {
    const isItem = typeof name === 'number'
    const isPart = isItem || !around?.around || partWords.test(around.words)
    this.record = record
    this.around = around
    this.name = name
    this.siblings = siblings ?? new Set()
    this.noun = isPart ? (around?.noun ?? record.noun) : singularOf(around.words)
    // `idUser` is `userId`.
    this.words = isItem ? (around?.words ?? '') : inWords(name).replace(/^id (.+)$/u, '$1 id')
    this.number = around ? (isItem ? (around.number - 1) * 3 + name + 1 : around.number) : record.position + 1
    this.#key = `${around ? around.#key : `${record.seed}\0${record.collection}`}\0${name}`
  }

  at(name: string | number, siblings?: ReadonlySet<string>): ValuePlace {
    return new ValuePlace(this.record, this, name, siblings)
  }

  /** Returns a number from 0 to `count` - 1. Records repeat it only when all are used up. @param use - Tells the numbers of a place apart. */
  draw(count: number, use = ''): number {
    const hash = hashText(`${this.#key}\0${use}`)
    let step = 1 + (hashText(String(hash)) % Math.max(1, count - 1))
    while (greatestDivisor(step, count) !== 1) step += 1
    return (hash + this.record.position * step) % count
  }

  between(least: number, most: number, use = ''): number {
    return least + this.draw(most - least + 1, use)
  }

  pick<T>(list: readonly T[], use = ''): T {
    return list[this.draw(list.length, use)] as T
  }
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other)
