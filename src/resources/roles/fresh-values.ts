/** Makes values that the contract does not state, by name and type: times, flags and states. */
import { findKeyword, isNullable, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf } from '../../documents/object.js'
import { wordsOf } from '../names.js'

/** Creates a value. @param now - The present time. @returns Undefined: the property is left out. */
export type MakeValue = (now: string) => unknown

const ending = '(?:at|on|date|time|timestamp|ts|utc|datetime)'
const nameOfChange = new RegExp(
  `^(?:(?:last|date)?(?:updated|modified|changed|edited)${ending}?|(?:last)?(?:update|modification|change)${ending}|last(?:update|modification|change))$`,
  'u',
)
const nameOfCreation = new RegExp(`^(?:(?:date)?created${ending}?|(?:create|creation)${ending})$`, 'u')

const isNamed = (name: string, pattern: RegExp): boolean => pattern.test(wordsOf(name).join(''))

/** Returns the present time as a time of change has it. @returns Undefined: the property is no time of change. */
export const timeOfChange = (name: string, schema: JsonObject, shown: () => unknown): MakeValue | undefined =>
  isNamed(name, nameOfChange) ? timeOf(schema, shown) : undefined

/**
 * Returns the value of a property of a fresh record: the present time, false, or the first state that sounds initial. A date-time that may be
 * null, and is no time of creation or change, means an event that has not happened.
 *
 * @param shown - Returns the value in an example.
 */
export function freshValue(name: string, schema: JsonObject, shown: () => unknown): MakeValue | undefined {
  const isAtCreation = isNamed(name, nameOfCreation) || isNamed(name, nameOfChange)
  const isTime = findKeyword(schema, 'format') === 'date-time' && !isNullable(schema)
  if (isAtCreation || isTime) return timeOf(schema, shown) ?? flagOf(schema)
  return /^(?:status|state|phase|stage)$/u.test(wordsOf(name).at(-1) ?? '') ? stateOf(schema) : flagOf(schema)
}

function flagOf(schema: JsonObject): MakeValue | undefined {
  const allowed = findKeyword(schema, 'enum')
  const isFlag = scalarType(schema) === 'boolean' && (allowed === undefined || listOf(allowed).includes(false))
  return isFlag ? () => false : undefined
}

const initial =
  /^(?:new|created|draft|initial\w*|init|pending|open|opened|active|queued|todo|to do|not started|backlog|planned|scheduled|requested|submitted|placed|received|registered|unpaid|unread|unverified|waiting|available|idle|ready)$/u

function stateOf(schema: JsonObject): MakeValue | undefined {
  const states = listOf(findKeyword(schema, 'enum'))
  const first = states.find((state) => typeof state === 'string' && initial.test(wordsOf(state).join(' ')))
  return first === undefined ? undefined : () => first
}

/** The least number of milliseconds that is no number of seconds: the year 5138 in seconds, 1973 in milliseconds. */
const leastMilliseconds = 1e11

/** Returns the present time in the form of a schema: a date-time, a date, or seconds, or milliseconds if a number of the contract is one. */
function timeOf(schema: JsonObject, shown: () => unknown): MakeValue | undefined {
  const type = scalarType(schema)
  const [format, example, minimum] = ['format', 'example', 'minimum'].map((name) => findKeyword(schema, name))
  if (type === 'integer' || type === 'number') {
    const isLarge = (value: unknown): boolean => typeof value === 'number' && value >= leastMilliseconds
    return (now) => Math.floor(Date.parse(now) / ([example, minimum, shown()].some(isLarge) ? 1 : 1000))
  }
  if (type !== 'string') return undefined
  if (format === 'date-time') return (now) => now
  const isDate = format === 'date' || (typeof example === 'string' && /^\d{4}-\d\d-\d\d$/u.test(example))
  if (isDate) return (now) => now.slice(0, 10)
  const isOther = [format, findKeyword(schema, 'pattern'), findKeyword(schema, 'enum')].some(
    (each) => each !== undefined,
  )
  return isOther || (typeof example === 'string' && Number.isNaN(Date.parse(example))) ? undefined : (now) => now
}
