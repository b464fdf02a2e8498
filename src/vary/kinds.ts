/** The kinds of variations: differences that a contract allows. Each has one fixed form, so that a run repeats exactly. */
import { findKeyword, isNullable } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { escapeCharacter } from '../safe-text.js'

/** A property of a response, as the contract describes it. */
interface VariedProperty {
  readonly schema: JsonObject
  readonly isRequired: boolean
  /** True if it is an id, a parent, or what a filter uses. */
  readonly isKept: boolean
  /** True if the status is 4xx or 5xx. */
  readonly isError: boolean
}

/** A response before it is written, with header fields by lower-case name. `text` is that of JSON. */
export interface VariedMessage {
  readonly headers: Readonly<Record<string, string | number>>
  readonly text: string | undefined
  readonly hasBody: boolean
  /** True if `1.0` is an integer, as in OpenAPI 3.1. */
  readonly hasIntegerFractions: boolean
  readonly isUpperCase?: boolean
  readonly isChunked?: boolean
  readonly reason?: string
}

/** Stands for a property that is left out. */
export const hiddenValue = Symbol('hidden')

/** The property that a later version of a service might add. */
export const addedProperty = ['addedLater', 'by a later version'] as const

type VaryValue = (value: unknown, property: VariedProperty) => unknown
type VaryMessage = (message: VariedMessage) => Partial<VariedMessage> | undefined

interface Kind {
  /** The round of the search that tries it. Only `--vary=all` has those from `firstExtraRound`. */
  readonly round: number
  /** Completes "Tests fail if <place> …". */
  readonly effect: string
  /** Completes "no … is promised". */
  readonly promise: string
  /** The statement in an overlay that makes it illegal. Empty: a contract has no words for it. */
  readonly accept: string
  /** Varies a property. Undefined: it cannot. */
  readonly value?: VaryValue
  /** Varies a text of an error. Its place is an operation with a status. */
  readonly text?: VaryValue
  /** Varies what is sent. Undefined: it cannot. */
  readonly message?: VaryMessage
}

/** An absent property would hide that its unknown value matters, so it has a round of its own. */
export const [slowRound, firstExtraRound, absentRound, lastRound] = [1, 3, 4, 5]

const kind = (round: number, effect: string, promise: string, accept: string, vary: Partial<Kind> = {}): Kind => {
  return { round, effect, promise, accept, ...vary }
}
const wire = (effect: string, message: VaryMessage): Kind => kind(0, effect, 'such detail', '', { message })

const dateTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/iu
const dateParts = (value: unknown, { schema }: VariedProperty): readonly string[] =>
  (typeof value === 'string' && findKeyword(schema, 'format') === 'date-time' && dateTime.exec(value)) || []

const withFraction: VaryValue = (value, property) => {
  const [, time, fraction = '', zone = ''] = dateParts(value, property)
  return time === undefined || fraction.length >= 6 ? undefined : `${time}.${fraction.padEnd(6, '0')}${zone}`
}

/** Writes a time with the offset that changes its day. */
const withOffset: VaryValue = (value, property) => {
  const [all, , fraction] = dateParts(value, property)
  const time = new Date(all ?? NaN)
  if (Number.isNaN(time.getTime())) return undefined
  const hours = time.getUTCHours() >= 10 ? 14 : -12
  const shifted = new Date(time.getTime() + hours * 3_600_000).toISOString().slice(0, 19)
  return `${shifted}${fraction === undefined ? '' : `.${fraction}`}${hours > 0 ? '+14:00' : '-12:00'}`
}

const isFree = ({ schema }: VariedProperty): boolean =>
  ['enum', 'const', 'pattern', 'format'].every((name) => findKeyword(schema, name) === undefined)

/** Replaces the tokens of a JSON text. Undefined: there is no text, or nothing changes. */
function replaceTokens({ text = '' }: VariedMessage, replace: (token: string) => string) {
  const next = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?|[[\]{},:]/gu, replace)
  return next === text ? undefined : { text: next }
}

const escapeString = (token: string): string =>
  token.replaceAll(/(?<=^")\w|[\u007f-\uffff]/g, escapeCharacter).replaceAll(/(?<!\\)\//gu, String.raw`\/`)

const reverseKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toReversed()) : value

const withReversedKeys: VaryMessage = ({ text = '' }) => {
  const value = jsonIn(text)
  // A number that JavaScript cannot hold must not change.
  const next = JSON.stringify(value) === text ? JSON.stringify(value, reverseKeys) : text
  return next === text ? undefined : { text: next }
}

const without = ({ headers }: VariedMessage, names: readonly string[]): VariedMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** Varies a header field that is sent. @param vary - Returns its other form. Undefined: there is none. */
const field = (effect: string, name: string, vary: (value: string) => string | undefined): Kind =>
  wire(effect, ({ headers }) => {
    const value = headers[name] === undefined ? undefined : vary(String(headers[name]))
    return value === undefined ? undefined : { headers: { ...headers, [name]: value } }
  })

const further = { server: 'varied', via: '1.1 varied', 'x-cache': 'MISS' }
const doubleHeaders = ['x-error-code', 'sl-violations', 'x-request-id', 'x-double']

/** All kinds by name, in the order in which they apply. */
export const kinds: Readonly<Record<string, Kind>> = {
  order: kind(2, 'returns its records in another order', 'order', 'x-double: {order: promised}'),
  'date-fraction': kind(0, 'has fraction digits', 'spelling of dates', 'pattern', { value: withFraction }),
  'date-offset': kind(0, 'is the same time with another offset', 'offset', 'pattern', { value: withOffset }),
  'error-text': kind(0, 'has other texts', 'text', 'enum', {
    text: (value, property) =>
      property.isError && typeof value === 'string' && isFree(property) ? 'The same error in other words.' : undefined,
  }),
  'unknown-property': kind(
    2,
    'has a property that the contract does not name',
    'end of its properties',
    'additionalProperties: false',
  ),
  absent: kind(absentRound, 'is absent', 'presence', 'required', {
    value: (_, { isError, isKept, isRequired }) => (isError || isKept || isRequired ? undefined : hiddenValue),
  }),
  enum: kind(3, 'has a value that is not in x-extensible-enum', 'end of its values', 'enum', {
    value: (_, { isKept, schema }) => (isKept || !findKeyword(schema, 'x-extensible-enum') ? undefined : 'ADDED_LATER'),
  }),
  null: kind(lastRound, 'is null', 'value', 'a type without null', {
    value: (value, { isError, isKept, schema }) =>
      value === null || isError || isKept || !isNullable(schema) ? undefined : null,
  }),
  'key-order': wire('has its properties in another order', withReversedKeys),
  number: kind(3, 'has integers such as 1.0', 'spelling of integers', '', {
    message: (message) =>
      message.hasIntegerFractions
        ? replaceTokens(message, (token) => (/^-?\d+$/u.test(token) ? `${token}.0` : token))
        : undefined,
  }),
  'json-escape': wire('has other escapes in its JSON', (message) => replaceTokens(message, escapeString)),
  'json-space': wire('has other white space in its JSON', (message) =>
    replaceTokens(message, (token) => (/^[^\d"-]/u.test(token) ? `\r\n ${token}\t` : token)),
  ),
  'media-type-parameter': field('has ; charset=UTF-8 in its media type', 'content-type', (value) =>
    /charset/iu.test(value) ? undefined : `${value}; charset=UTF-8`,
  ),
  'media-type-case': field('has capitals in its media type', 'content-type', (value) =>
    value.replaceAll(/^[a-z]|(?<=^\w+\/)[a-z]/gu, (letter) => letter.toUpperCase()),
  ),
  challenge: field('spells WWW-Authenticate in another way', 'www-authenticate', (value) => {
    const [scheme = '', ...rest] = value.split(' ')
    const realm = /realm=/iu.test(value) ? [] : ['realm="varied"']
    return `${scheme.toLowerCase()} ${[...realm, ...(rest.length > 0 ? [rest.join(' ')] : [])].join(', ')}`
  }),
  'retry-after': field('has Retry-After as a date', 'retry-after', (value) =>
    /^\d+$/u.test(value) ? new Date(Date.now() + Number(value) * 1000).toUTCString() : undefined,
  ),
  'extra-headers': wire('has further header fields', ({ headers }) => {
    const vary = [headers['vary'] ?? [], 'Accept-Encoding'].flat().join(', ')
    return { headers: { ...further, ...headers, vary } }
  }),
  'double-headers': wire('lacks the header fields that only the double sends', (message) => ({
    headers: without(message, doubleHeaders),
  })),
  'connection-close': wire('closes the connection', ({ headers }) => ({
    headers: { ...headers, connection: 'close' },
  })),
  chunked: wire('is sent in chunks', (message) =>
    message.hasBody ? { isChunked: true, headers: without(message, ['content-length']) } : undefined,
  ),
  'header-case': wire('has the names of header fields in capitals', () => ({ isUpperCase: true })),
  'reason-phrase': wire('has no reason phrase', () => ({ reason: '' })),
  slow: kind(slowRound, 'takes 200 ms longer', 'time', ''),
}

/** Returns the kind of a unit, such as `date-offset` of `date-offset Order.createdAt`. */
export const unitKind = (unit: string): string => unit.split(' ')[0] ?? ''

/** Returns the place of a unit: a schema, a property of one, or an operation with its status. */
export const unitPlace = (unit: string): string => unit.slice(unitKind(unit).length + 1)

export const roundOf = (unit: string): number => kinds[unitKind(unit)]?.round ?? 0
