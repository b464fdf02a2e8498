/** Replaces ids and free text in a fixture by stand-ins. They have the same length and format, and equal texts stay equal. */
import { createHash, randomBytes } from 'node:crypto'

import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { checkRecord } from '../resources/infer/record-model.js'
import { wordsOf } from '../resources/name-words.js'
import type { Collection, Resources } from '../resources/resources.js'
import { itemsOf, findKeyword, objectSchema } from '../resources/schema/object-schema.js'

/** The most tries to find stand-ins that are valid by the contract. */
const maxTries = 20

/** A sanitised fixture. */
export interface Sanitised {
  readonly document: JsonObject
  /** The records that are left out, in sentences: no stand-in for them is valid by the contract. */
  readonly leftOut: readonly string[]
}

/** Sanitises a fixture. @param seed - The same seed gives the same stand-ins. Default: random, so that nobody can compute them. */
export function sanitise(
  document: JsonObject,
  { collections }: Resources,
  seed: string = randomBytes(16).toString('hex'),
): Sanitised {
  const leftOut: string[] = []
  const standIns = new StandIns(seed)
  const entries = Object.entries(document).map(([key, value]): readonly [string, unknown] => {
    const collection = collections.find(({ name }) => name === key)
    if (!collection || !Array.isArray(value)) return [key, value]
    const records = (value as JsonObject[]).flatMap((record, index) => {
      const replaced = sanitiseRecord(record, collection, standIns)
      if (replaced) return [replaced]
      leftOut.push(`Record ${index + 1} of ${key} is left out: no stand-in for its text is valid by the contract.`)
      return []
    })
    return [key, records]
  })
  return { document: Object.fromEntries(entries), leftOut }
}

function sanitiseRecord(
  { $access, $parents, ...record }: JsonObject,
  { model }: Collection,
  standIns: StandIns,
): JsonObject | undefined {
  const idNames = new Set([model.idProperty, ...model.parents.flatMap(({ property }) => property ?? [])])
  for (let variant = 0; variant < maxTries; variant++) {
    const properties = Object.entries(record).map(([name, value]) => {
      const schema = model.recordModel.properties.get(name) ?? {}
      const isId = idNames.has(name) || /^(?:id|gid|uuid)$/u.test(wordsOf(name).at(-1) ?? '')
      return [name, standIns.valueOf(value, schema, isId ? 0 : variant, isId)]
    })
    const replaced = Object.fromEntries(properties) as JsonObject
    if (checkRecord(model.contract, model.recordModel, replaced).length > 0) continue
    const parents = isObject($parents)
      ? {
          $parents: Object.fromEntries(
            Object.entries($parents).map(([name, value]) => [name, standIns.valueOf(value, {}, 0, true)]),
          ),
        }
      : {}
    return { ...replaced, ...parents, ...($access === undefined ? {} : { $access }) }
  }
  return undefined
}

/** The stand-ins by value. Equal values get equal stand-ins; different values get different ones. */
class StandIns {
  readonly #seed: string
  readonly #known = new Map<string, string | number>()
  readonly #taken = new Set<string | number>()

  constructor(seed: string) {
    this.#seed = seed
  }

  /** @param variant - Another variant gives another stand-in. */
  valueOf(value: unknown, schema: JsonObject, variant: number, isId: boolean): unknown {
    if (typeof value === 'string') return isFree(schema) ? this.#standIn(value, variant, textLike) : value
    if (typeof value === 'number')
      return isId && Number.isInteger(value) ? this.#standIn(value, variant, numberLike) : value
    if (Array.isArray(value)) {
      const items = itemsOf(schema) ?? {}
      return (value as unknown[]).map((item) => this.valueOf(item, items, variant, isId))
    }
    if (!isObject(value)) return value
    const properties = objectSchema(schema)?.properties
    const inside = Object.entries(value).map(([name, inner]) => {
      const innerId = wordsOf(name).at(-1) === 'id'
      return [name, this.valueOf(inner, properties?.get(name) ?? {}, variant, innerId)]
    })
    return Object.fromEntries(inside)
  }

  #standIn<T extends string | number>(value: T, variant: number, create: (value: T, bytes: Uint8Array) => T): T {
    const key = `${variant} ${typeof value} ${value}`
    const known = this.#known.get(key)
    if (known !== undefined) return known as T
    for (let attempt = 0; ; attempt++) {
      // A short value has few stand-ins. If all are taken, the next one is longer.
      const longer = (typeof value === 'number' ? value * 10 : `${value}x`) as T
      const made = create(
        attempt < 100 ? value : longer,
        streamOf(`${this.#seed} ${attempt} ${key}`, 1 + String(value).length),
      )
      if (this.#taken.has(made) && attempt < 1000) continue
      this.#taken.add(made)
      this.#known.set(key, made)
      return made
    }
  }
}

/** Tells whether a text is free text: neither a value of an enum nor a date, which says nothing about a person. */
function isFree(schema: JsonObject): boolean {
  const format = findKeyword(schema, 'format')
  const isDate = format === 'date-time' || format === 'date' || format === 'time' || format === 'duration'
  return !isDate && findKeyword(schema, 'enum') === undefined && findKeyword(schema, 'const') === undefined
}

function streamOf(key: string, length: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / 32) + 1 }, (_, index) =>
    createHash('sha256').update(`${index} ${key}`).digest(),
  )
  return Buffer.concat(blocks)
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/iu
const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'] as const
const hexadecimal = '0123456789abcdef'

/** Replaces each letter by another letter, each digit by another digit, and each character that is not ASCII by a letter. */
function textLike(text: string, bytes: Uint8Array): string {
  const isUuid = uuid.test(text)
  return Array.from(text)
    .map((character, index) => {
      if (isUuid && (character === '-' || index === 14 || index === 19)) return character
      const byte = bytes[index] ?? 0
      const alphabet = isUuid ? hexadecimal : alphabets.find((each) => each.includes(character))
      if (alphabet) return another(alphabet, character, byte)
      return character > '\u007f' ? another(alphabets[0], '', byte) : character
    })
    .join('')
}

function numberLike(value: number, bytes: Uint8Array): number {
  const digits = Array.from(String(Math.abs(value))).map((digit, index) => {
    const alphabet = index === 0 ? '123456789' : '0123456789'
    return another(alphabet, digit, bytes[index] ?? 0)
  })
  return Math.sign(value || 1) * Number(digits.join(''))
}

/** Picks a character of an alphabet, other than the given one. */
function another(alphabet: string, character: string, byte: number): string {
  const others = alphabet.replace(character, '')
  return others[byte % others.length] ?? ''
}
