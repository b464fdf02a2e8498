/** Makes values that the contract does not state, by name, type and texts: times, flags and the state of a new record. */
import {
  allowedValues,
  descriptionOf,
  findKeyword,
  isNullable,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { type JsonObject, listOf, textOf } from '../../documents/object.js'
import { inWords, namedIn, wordsOf } from '../names.js'

/** Creates a value. @param now - The present time. @param record - What is known of the record. @returns Undefined: the property is left out. */
export type MakeValue = (now: string, record?: JsonObject) => unknown

export const timeEndings = ['at', 'on', 'date', 'time']

/** The names of times of change, as words without separators. */
export const changeTimes =
  /^(?:last|date|time)?(?:(?:updat|modifi|chang|edit)ed|(?:update|modification|change)(?=.))(?:at|on|date|time|timestamp|datetime|ts)?$|^last(?:update|change)$|^mtime$/u
/** The names of times of creation, as words without separators. */
export const creationTimes =
  /^(?:date|time)?(?:created|creation(?=.)|create(?=.))(?:at|on|date|time|timestamp|datetime|ts)?$|^ctime$/u
export const isNamed = (name: string, names: RegExp): boolean => names.test(wordsOf(name).join(''))

/** Events that a fresh record has not had. */
const laterEvents =
  /\b(?:abandoned|accepted|acknowledged|approved|archived|cancell?ed|closed|completed|confirmed|connected|deactivated|declined|deleted|delivered|disabled|ended|executed|expired|failed|finalized|finished|lost|opened|paid|paused|processed|published|read|refunded|rejected|resolved|reverted|revoked|seen|sent|suspended|terminated|used|validated|verified|viewed|voided)\b/u

const isPlanned = (name: string): boolean =>
  /\b(?:ends?|expir\w+|until|due|deadline|scheduled|valid|next)\b/u.test(inWords(name))

/** Tells whether a property is the time of an event that has not happened to a fresh record, or who has caused it: one that may be null or has the name of such an event, and neither planned nor that of its creation. */
export function isLaterEvent(name: string, schema: JsonObject): boolean {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  return (
    (laterEvents.test(words.join(' ')) || (isNullable(schema) && last !== 'by')) &&
    (findKeyword(schema, 'format') === 'date-time' || /^(?:at|by|date)$/u.test(last)) &&
    !isPlanned(name) &&
    !isNamed(name, creationTimes) &&
    !isNamed(name, changeTimes)
  )
}

/** Flags that a fresh record has set, if an example shows them so. */
export const isUsable = /^(?:is)?_?(?:enabled|active|valid|available)$/iu

/** Flags that tell the success of a request. */
const isDone = /^(?:success(?:ful)?|ok)$/iu

/** The time at which something fresh expires: a day after the present one. */
const tomorrow = (now: string): string => new Date(Date.parse(now) + 86_400_000).toISOString().replace('.000Z', 'Z')

/** Returns the value of a property of a fresh record: the present time, or the next day if it expires then, false, or the first state that sounds initial. @param shown - Returns the value in an example. */
export function freshValue(name: string, schema: JsonObject, shown: () => unknown): MakeValue | undefined {
  const isOfOther = /^(?:effective|last|from|to)\b|\b(?:from|to)$/u.test(inWords(name))
  const isDateTime = findKeyword(schema, 'format') === 'date-time'
  const isTime = isDateTime && !isNullable(schema) && !isPlanned(name) && !isOfOther
  const expiry = isDateTime && /\bexpir/u.test(inWords(name)) ? timeOf(schema, shown) : undefined
  if (expiry) return (now) => (isNullable(schema) && (shown() ?? null) === null ? null : expiry(tomorrow(now)))
  const isMoment = [creationTimes, changeTimes, /^(?:date|timestamp)$/u].some((names) => isNamed(name, names))
  const notation = (): unknown => shown() ?? (name === 'date' ? '2026-01-31' : undefined)
  const time = isTime || isMoment ? timeOf(schema, notation) : undefined
  const allowed = findKeyword(schema, 'enum')
  const mayBeFalse = allowed === undefined || listOf(allowed).includes(false)
  // `hasPassword` depends on what a client sends.
  if (time || (scalarType(schema) === 'boolean' && wordsOf(name)[0] !== 'has'))
    return time ?? (mayBeFalse ? () => isDone.test(name) || (isUsable.test(name) && shown() === true) : undefined)
  const state = isState(name, schema) ? initialState(schema, () => []) : undefined
  return state === undefined ? undefined : () => state
}

const defaults = [
  /(?<=^|[,;(] ?)(["'`*]*)(\d+) if (?:never|not yet)\b/iu,
  /\bdefault [a-z ]*\bis per (["'`*]*)(\d+)\b/iu,
  /\bset to (["'`*]*)(\d+|true|false)["'`*]* by default\b/iu,
  /\bdefault(?:s|ed)?(?: value)?(?: and max(?:imum)?)?(?: is| to| of|:| ?=)? ?(["'`*]*)((?<=["'`*])\w[\w. -]*(?=["'`*])|[\w.-]*\w)/iu,
  /\bset to (["'`*]*)([\w.-]*\w)["'`*]* (?:if|when|unless) [^.]*\b(?:provided|given|specified|set|omitted)\b/iu,
  /\bif [^.]*\bnot (?:been )?(?:provided|given|specified|set),? (["'`*]+)([\w.-]+|\{\})["'`*]+ (?:is|will be) (?:returned|used)\b/iu,
]

/** Returns the default that a description tells, as a value of the schema's type: a flag, a number, an allowed value, or a text in quotes. Undefined: none. */
export function toldDefault(schema: JsonObject, description = descriptionOf(schema)): unknown {
  const [, quote = '', text = ''] = defaults.map((each) => each.exec(description)).find(Boolean) ?? []
  const type = scalarType(schema)
  const isTold = (value: unknown): boolean => String(value).toLowerCase() === text.toLowerCase()
  if (type === 'boolean') return [true, false].find(isTold)
  if (type === 'integer' || type === 'number') return /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : undefined
  if (type !== 'string' || text === '') return undefined
  const allowed = allowedValues(schema)
  return allowed.length === 0 && quote !== '' ? text : allowed.find(isTold)
}

/** Tells whether a time has the form of RFC 2822, by its format or its description. */
export const isRfc2822 = (schema: JsonObject): boolean =>
  /\brfc[- ]?2822\b/iu.test(`${textOf(findKeyword(schema, 'format'))} ${descriptionOf(schema)}`)

/** Writes a time such as `Mon, 05 Jan 2026 09:30:00 +0000`. */
export const toRfc2822 = (time: Date): string => time.toUTCString().replace('GMT', '+0000')

/** Returns the present time in the form of a schema: a date-time, also of RFC 2822, a date, or seconds; or milliseconds, if the description says so or a number of the contract has as many digits. @param shown - Returns the value in an example. */
export function timeOf(schema: JsonObject, shown: () => unknown): MakeValue | undefined {
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
  if (isRfc2822(schema)) return (now) => toRfc2822(new Date(now))
  const pattern = textOf(findKeyword(schema, 'pattern'))
  const isOpen =
    findKeyword(schema, 'enum') === undefined &&
    (pattern === '' ? format === undefined : new RegExp(pattern, 'u').test('2026-01-31T09:30:00.000Z'))
  if (format === 'date-time') return (now) => now
  if (!isOpen) return undefined
  // Another form of ISO 8601 says nothing about milliseconds.
  return (now) => {
    const stated = [example, shown()].find(isToldTime) ?? 'T'
    return stated.includes('T') ? now : inNotationOf(stated, now)
  }
}

/** Tells whether a value is a time, such as `2026/01/31` and `2026-01-31 09:30:00`. */
export const isToldTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}[-/]\d\d[-/]\d\d(?:[ T]\d\d:\d\d\S*)?$/u.test(value)

/** Writes a time in the notation of another one. */
export function inNotationOf(other: string, time: string): string {
  const digits = time.replaceAll(/\D/gu, '')
  let index = 0
  return other.replaceAll(/\d/gu, () => digits[index++] ?? '0')
}

export const isState = (name: string, schema: JsonObject): boolean =>
  scalarType(schema) === 'string' && /^(?:status|state|phase|stage)$/u.test(wordsOf(name).at(-1) ?? '')

const initial =
  /^(?:new|created|draft|init\w*|validating|provisioning|in progress|pending|open|opened|active|queued|todo|to do|not started|backlog|planned|scheduled|requested|submitted|placed|received|registered|unpaid|unread|unverified|waiting|available|idle|ready|none)$/u

const namesState = /\b(?:in|as) (?:an? |the )?\W*\w+\W* (?:state|status)\b|\b(?:state|status)(?: is| of)? \W?\w+/giu

/**
 * Finds the state of a new record: that of the example, the first value that sounds initial; never an unspecified one while there is another.
 *
 * @param shown - Lists the values in the examples of the response to the create.
 * @param told - What the texts of the create say: "in Pending state".
 * @returns Undefined: nothing tells it.
 */
export function initialState(schema: JsonObject, shown: () => readonly unknown[], told = ''): string | undefined {
  const allowed = allowedValues(schema).filter((value) => typeof value === 'string')
  // `KEY_STATUS_` of `KEY_STATUS_UNSPECIFIED` is a prefix of the others.
  const unset = allowed.find((value) => /unspecified$/iu.test(value))
  const prefix = unset?.replace(/unspecified$/iu, '') ?? ''
  const values = allowed.filter((value) => value !== unset)
  const isOpen = ['enum', 'format', 'pattern'].every((name) => findKeyword(schema, name) === undefined)
  const isFit = (value: unknown): value is string =>
    typeof value === 'string' && (values.includes(value) || (isOpen && value !== ''))
  return (
    shown().find(isFit) ??
    namedIn((told.match(namesState) ?? []).join(' '), values) ??
    values.find((value) => initial.test(inWords(value.replace(prefix, '')))) ??
    (unset === undefined ? undefined : values[0])
  )
}
