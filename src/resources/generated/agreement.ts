/** Makes the values of one record agree: numbers with the lists that they count, times and errors with the state. */
import { isNullable } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf, mapValues } from '../../documents/object.js'
import type { RecordModel } from '../infer/record-model.js'
import { singularOf, singularsOf, wordsOf } from '../names.js'

/** Makes `tag_count` and `number of tags` the length of `tags`. */
export const withLengths = (record: JsonObject): JsonObject =>
  mapValues(record, (value, name) =>
    typeof value === 'number' ? (lengthNamed(record, wordsOf(name).join(' ')) ?? value) : value,
  )

/** Returns the length of the list whose things a number counts. Undefined: there is none. */
function lengthNamed(record: JsonObject, words: string): number | undefined {
  const [, counted, of] = /^(?:(.+) count|(?:num|number of|count of) (.+))$/u.exec(words) ?? []
  if (counted === undefined && of === undefined) return undefined
  const thing = singularOf(counted ?? of ?? '')
  const list = Object.entries(record).find(
    ([name, value]) => Array.isArray(value) && singularsOf(wordsOf(name).join(' ')).includes(thing),
  )
  return list && listOf(list[1]).length
}

const goesOn =
  /^(?:active|draft|enqueued|(?:in )?(?:progress|process|review)|(?:in )?processing|new|open|paus(?:ed|ing)|pending|planned|queued|running|scheduled|start(?:ed|ing)|todo|waiting)$/u
const isWrong = /\b(?:fail|error|reject|abort|cancel|bounce)/u
const ends = /^(?:finish|complet|end|resolv|stopp?)ed(?: (?:at|on|time))?$|^end timestamp$/u
const faults = /^(?:last )?(?:error|failure)(?: (?:message|reason))?$/u

/** Removes the times of an end from a record whose state says that it goes on, and errors if the state says none. */
export function withoutEnd(record: JsonObject, { properties, required }: RecordModel): JsonObject {
  const states = [record['status'], record['state']].filter((state) => typeof state === 'string')
  const words = states.map((state) => wordsOf(state).join(' '))
  const isUnfit = (name: string): boolean =>
    (ends.test(name) && words.some((state) => goesOn.test(state))) ||
    (faults.test(name) && words.some((state) => !isWrong.test(state)))
  const entries = Object.entries(record).flatMap(([name, value]) => {
    if (!isUnfit(wordsOf(name).join(' '))) return [[name, value] as const]
    const end = isNullable(properties.get(name) ?? {}) ? null : required.has(name) ? value : undefined
    return end === undefined ? [] : [[name, end] as const]
  })
  return Object.fromEntries(entries)
}
