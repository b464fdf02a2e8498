/** Makes values that the contract does not state, by name and type: times, flags and states. */
import { descriptionOf, findKeyword, isNullable, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf } from '../../documents/object.js'
import { wordsOf } from '../names.js'

/** Creates a value. @param now - The present time. @param record - What is known of the record. @returns Undefined: the property is left out. */
export type MakeValue = (now: string, record?: JsonObject) => unknown

/** The names of times of change, as words without separators. */
export const changeTimes =
  /^(?:last|date|time)?(?:(?:updat|modifi|chang|edit)ed|(?:update|modification|change)(?=.))(?:at|on|date|time|timestamp|datetime)?$|^last(?:update|change)$/u
/** The names of times of creation, as words without separators. */
export const creationTimes =
  /^(?:date|time)?(?:created|creation(?=.)|create(?=.))(?:at|on|date|time|timestamp|datetime)?$/u
export const isNamed = (name: string, names: RegExp): boolean => names.test(wordsOf(name).join(''))

/** Returns the present time, if a property is a time of change. @param shown - Returns the value in an example. */
export const timeOfChange = (name: string, schema: JsonObject, shown: () => unknown): MakeValue | undefined =>
  isNamed(name, changeTimes) ? timeOf(schema, shown) : undefined

/** Returns the value of a property of a fresh record: the present time, false, or the first state that sounds initial. @param shown - Returns the value in an example. */
export function freshValue(name: string, schema: JsonObject, shown: () => unknown): MakeValue | undefined {
  // Any other date-time that may be null means an event that has not happened.
  const isPlanned = /\b(?:ends?|expir\w+|until|due|deadline|scheduled|valid|next)\b/u.test(wordsOf(name).join(' '))
  const isTime = findKeyword(schema, 'format') === 'date-time' && !isNullable(schema) && !isPlanned
  const time = isTime || isNamed(name, creationTimes) || isNamed(name, changeTimes) ? timeOf(schema, shown) : undefined
  const allowed = findKeyword(schema, 'enum')
  // `hasPassword` depends on what a client sends.
  if (time || (scalarType(schema) === 'boolean' && wordsOf(name)[0] !== 'has'))
    return time ?? (allowed === undefined || listOf(allowed).includes(false) ? () => false : undefined)
  const isState = /^(?:status|state|phase|stage)$/u.test(wordsOf(name).at(-1) ?? '')
  const first = listOf(allowed).find((each) => typeof each === 'string' && initial.test(wordsOf(each).join(' ')))
  return isState && first !== undefined ? () => first : undefined
}

const initial =
  /^(?:new|created|draft|init\w*|pending|open|opened|active|queued|todo|to do|not started|backlog|planned|scheduled|requested|submitted|placed|received|registered|unpaid|unread|unverified|waiting|available|idle|ready)$/u

/** Returns the present time in the form of a schema: a date-time, a date, or seconds; or milliseconds, if the description says so or a number of the contract has as many digits. */
function timeOf(schema: JsonObject, shown: () => unknown): MakeValue | undefined {
  const type = scalarType(schema)
  const [format, example, minimum] = ['format', 'example', 'minimum'].map((name) => findKeyword(schema, name))
  const isToldInMs = /\bmillisec/iu.test(descriptionOf(schema))
  if (type === 'integer' || type === 'number')
    return (now) => {
      const isInMs = isToldInMs || [example, minimum, shown()].some((each) => Number(each) > 1e11)
      return Math.floor(Date.parse(now) / (isInMs ? 1 : 1000))
    }
  if (type !== 'string') return undefined
  if (format === 'date') return (now) => now.slice(0, 10)
  const isOpen = ['format', 'pattern', 'enum'].every((name) => findKeyword(schema, name) === undefined)
  return format === 'date-time' || isOpen ? (now) => now : undefined
}
