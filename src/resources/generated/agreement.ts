/** Makes the values of one record agree: least ones with the greatest, times and errors with the state. */
import { allowedValues, isNullable } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import type { RecordModel } from '../infer/record-model.js'
import { inWords } from '../names.js'
import { changeTimes, creationTimes, isNamed } from '../roles/fresh-values.js'

/** The words of a least value, each with that of the greatest. */
const greatest = new Map([
  ['min', 'max'],
  ['minimum', 'maximum'],
  ['low', 'high'],
  ['lower', 'upper'],
  ['start', 'end'],
  ['from', 'to'],
  ['current', 'max'],
])

/** Makes `min_price` no greater than `max_price`, and `downloads` than `max_downloads`: the numbers change places. */
export function withBounds(record: JsonObject): JsonObject {
  const names = new Map(Object.keys(record).map((name) => [inWords(name), name]))
  const changed = [...names].flatMap(([words, least]) => {
    const greater = words.replaceAll(/\w+/gu, (word) => greatest.get(word) ?? word)
    const most = names.get(greater === words ? `max ${words}` : greater) ?? least
    const [one, other] = [record[least], record[most]]
    const isWrong = typeof one === 'number' && typeof other === 'number' && one > other
    return isWrong ? Object.entries({ [least]: other, [most]: one }) : []
  })
  return { ...record, ...Object.fromEntries(changed) }
}

const goesOn =
  /^(?:active|draft|enqueued|(?:in )?(?:progress|process|review)|new|open|paused|planned|queued|scheduled|started|todo|(?:awaiting|pending|waiting) .*|.*ing)$/u
const isWrong = /\b(?:fail|error|reject|abort|cancel|bounce)/u
const ends = /^(?:finish|complet|end|resolv|stopp?)ed(?: (?:at|on|time))?$|^end timestamp$/u
const faults = /^(?:last )?(?:error|failure|rejection|cancell?ation)(?: (?:code|message|reason))?$/u

/**
 * Makes times and errors fit the state of a record: one that goes on has no time of an end or of another state, `closed` has `closed_at`, and only
 * what went wrong has an error.
 */
export function fittingState(record: JsonObject, { properties, required }: RecordModel): JsonObject {
  const names = ['status', 'state'].filter((name) => typeof record[name] === 'string')
  const asWords = (value: unknown): string => inWords(String(value))
  const states = names.map((name) => asWords(record[name]))
  const all = new Set(names.flatMap((name) => allowedValues(properties.get(name) ?? {}).map(asWords)))
  const goOn = states.some((state) => goesOn.test(state))
  const isUnfit = (name: string, event: string): boolean =>
    (goOn && (ends.test(name) || (all.has(event) && !states.includes(event)))) ||
    (faults.test(name) && states.some((state) => !isWrong.test(state)))
  const lastTime = Object.keys(record).find((name) => isNamed(name, changeTimes) || isNamed(name, creationTimes))
  const entries = [...new Set([...Object.keys(record), ...properties.keys()])].flatMap((name) => {
    const words = asWords(name)
    const [, event = ''] = /^(.+) (?:at|on|date|time)$/u.exec(words) ?? []
    const value = record[name]
    if (states.includes(event) && lastTime !== undefined) return [[name, value ?? record[lastTime]] as const]
    if (!isUnfit(words, event)) return value === undefined ? [] : [[name, value] as const]
    const end = isNullable(properties.get(name) ?? {}) ? null : required.has(name) ? value : undefined
    return end === undefined ? [] : [[name, end] as const]
  })
  return Object.fromEntries(entries)
}
