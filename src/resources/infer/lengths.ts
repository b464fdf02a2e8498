/** Keeps the numbers of a record that count the items of its lists, such as `tag_count` and `number of tags` of `tags`. */
import { itemsOf, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf } from '../../documents/object.js'
import { inWords, singularOf, singularsOf } from '../names.js'
import type { PropertySchemas } from './id-property.js'

export interface Length {
  /** The property that is a number. */
  readonly name: string
  readonly list: string
  /** True if a client sends the number. Then only generated records have the length. */
  readonly isSent: boolean
}

/** Finds the lengths that records have. @param sent - The names of the properties that clients send. */
export const findLengths = (properties: PropertySchemas, sent: readonly string[]): readonly Length[] =>
  [...properties].flatMap(([name, schema]) => {
    const [, counted, of] = /^(?:(.+) count|(?:num|number of|count of) (.+))$/u.exec(inWords(name)) ?? []
    const thing = counted ?? of
    if (thing === undefined || !['integer', 'number'].includes(scalarType(schema) ?? '')) return []
    const isCounted = (each: string): boolean => singularsOf(inWords(each)).includes(singularOf(thing))
    const [list] = [...properties].find(([each, other]) => itemsOf(other) && isCounted(each)) ?? []
    return list === undefined ? [] : [{ name, list, isSent: sent.includes(name) }]
  })

/** Makes the numbers of a record those of its lists. A record with neither stays as it is. */
export function withLengths(record: JsonObject, lengths: readonly Length[]): JsonObject {
  const known = lengths.filter(({ list, name }) => Array.isArray(record[list]) || Object.hasOwn(record, name))
  const counted = known.map(({ list, name }) => [name, listOf(record[list]).length] as const)
  return counted.length === 0 ? record : { ...record, ...Object.fromEntries(counted) }
}
