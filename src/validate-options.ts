import { hostName } from './addresses.js'
import { nearestName, suggest } from './nearest-name.js'

export interface OptionRule {
  readonly type: keyof typeof types
  /** The type of each of several strings. Default: any string. */
  readonly item?: 'origin' | 'host-name'
  readonly unit?: 'milliseconds' | 'bytes'
  /** The bounds of an integer, inclusive. Default: none. */
  readonly least?: number
  readonly most?: number
  /** The allowed values of a string. Default: any string. */
  readonly oneOf?: readonly string[]
  /** A word that is allowed in addition to the type. Default: none. */
  readonly orWord?: string
  /** True if messages must not contain the value. Default false. */
  readonly isSecret?: boolean
}

export type OptionRules<Name extends string = string> = Readonly<Record<Name, OptionRule>>

/** An undefined value counts as not given. @throws {TypeError} An option is unknown, has the wrong type or is out of bounds. */
export function validateOptions(call: string, options: unknown, rules: OptionRules): void {
  if (typeof options !== 'object' || options === null || !isPlainObject(options))
    throw new TypeError(`${call}: the options must be an object, got ${describeValue(options)}.`)
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (!rule) {
      const names = Object.keys(rules)
      const hint = suggest(name, names, `there are ${names.join(', ')}.`)
      throw new TypeError(`${call}: there is no option ${JSON.stringify(name)}; ${hint}`)
    }
    if (value === undefined || isValidValue(rule, value)) continue
    const { item } = rule
    const isInvalidItem = (each: unknown): boolean => item !== undefined && !isValidValue({ type: item }, each)
    const shown: unknown = Array.isArray(value) ? (value.find(isInvalidItem) ?? value) : value
    const got = rule.isSecret ? typeName(value) : describeValue(shown)
    throw new TypeError(
      `${call}: the option ${name} must be ${describeRule(rule)}, got ${got}${suggestName(rule, shown)}.`,
    )
  }
}

/** Tells whether an object is no array and no instance of a class. The `Object` of another realm, such as that of Jest, counts too. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return !Array.isArray(value) && (prototype === null || Object.getPrototypeOf(prototype) === null)
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether a text is an RFC 3339 date-time of a day that exists. */
function isDateTime(text: string): boolean {
  const [, date] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u.exec(text) ?? []
  if (date === undefined || Number.isNaN(Date.parse(text))) return false
  // `Date` reads 30 February as 2 March.
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
}

/** Returns the origin of a URL, as browsers send it. @returns Undefined if the text is not a URL with a host. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { host, protocol } = new URL(text)
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/u.test(host) ? `${protocol}//${host}` : undefined
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** The words for the values of each type, to follow "must be", and the values that it allows. */
const types = {
  string: ['a string', isText],
  strings: ['an array of strings', Array.isArray],
  origin: [
    'an origin such as http://localhost:5173',
    (value) => isText(value) && (value === 'null' || value === originOf(value)),
  ],
  'host-name': [
    'a host name without a port, such as staging.example',
    (value) => isText(value) && hostName(value) === value.toLowerCase(),
  ],
  'date-time': ['a date-time such as 2026-01-05T09:30:00Z', (value) => isText(value) && isDateTime(value)],
  integer: ['an integer', Number.isSafeInteger],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  fixture: ['the name of a fixture, or a fixture', (value) => isText(value) || isObject(value)],
  path: ['a path or a URL', (value): boolean => isText(value) || value instanceof URL],
  object: ['an object', isObject],
  json: ['a value of JSON', () => true],
} as const satisfies Readonly<Record<string, readonly [words: string, isAllowed: (value: unknown) => boolean]>>

export function isValidValue(rule: OptionRule, value: unknown): boolean {
  const { item, least = -Infinity, most = Infinity, oneOf, orWord, type } = rule
  if (orWord !== undefined && value === orWord) return true
  const [, isAllowed] = types[type]
  if (!isAllowed(value)) return false
  if (type === 'integer') return Number(value) >= least && Number(value) <= most
  if (type === 'strings') return [value].flat().every((each) => isValidValue({ type: item ?? 'string' }, each))
  return oneOf === undefined || oneOf.includes(String(value))
}

/** Describes the values that a rule allows, to follow "must be". */
export function describeRule({ item, least, most, oneOf, orWord, type, unit }: OptionRule): string {
  const [words] = types[type]
  if (oneOf) return oneOf.length === 2 ? oneOf.join(' or ') : `one of ${oneOf.join(', ')}`
  if (item !== undefined) return `an array, each item ${describeRule({ type: item })}`
  if (type !== 'integer') return words
  const from = least === undefined ? '' : most === undefined ? `, at least ${least}` : ` from ${least} to ${most}`
  const or = orWord === undefined ? '' : ` or "${orWord}"`
  return `${words}${from}${unit === undefined ? '' : ` (${unit})`}${or}`
}

/** Suggests the nearest allowed value, as the end of a sentence. @returns Empty if none is near. */
export function suggestName({ oneOf = [] }: OptionRule, value: unknown): string {
  const near = typeof value === 'string' && value !== '' ? nearestName(value, oneOf) : undefined
  return near === undefined ? '' : `; did you mean ${near}`
}

const maxShown = 100

/** Describes a value in a message: a string, number or boolean itself, any other value by its type. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined) return String(value)
  return typeName(value)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  return isPlainObject(value) ? 'an object' : `an instance of ${value.constructor.name}`
}
