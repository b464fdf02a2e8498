/** Generates a minimal value by a schema: only required properties, and minimum lengths. It stops in schemas that contain themselves. */
import type { JsonObject } from '../documents/object.js'
import { isObject, objectAt } from '../documents/object.js'
import { resolveReference } from './references.js'
import { hasAllowedType, listOf, typesOf } from './schemas/read-schema.js'

/** The maximum nesting depth of a generated value. */
const maxDepth = 30

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:30:00Z',
  duration: 'P1D',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '09:30:00Z',
  uri: 'https://example.com',
  'uri-reference': '/',
  'uri-template': '/{id}',
  url: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

interface Options {
  /** The document that resolves the references in the schema. */
  readonly root: unknown
  /** True to take the examples of properties, and null where it is allowed, as a server does. */
  readonly isResponse: boolean
}

/** Generates a minimal value by a schema. It ignores `not` and conditions, so the caller must validate the value. @param root - Resolves its references. */
export const generateMinimalValue = (root: unknown, schema: unknown): unknown =>
  generate({ root, isResponse: false }, schema, 0)

/**
 * Generates the value that a server would send: the examples of properties, and null for a value that may be null and is no object.
 * Otherwise as `generateMinimalValue`. The caller must validate the examples, too.
 */
export const generateResponseValue = (root: unknown, schema: unknown): unknown =>
  generate({ root, isResponse: true }, schema, 0)

function generate(options: Options, given: unknown, depth: number): unknown {
  if (depth > maxDepth) return null
  const schema = flatten(options.root, given, 0)
  if ('const' in schema) return schema['const']
  if (options.isResponse) {
    const examples = [schema['example'], ...listOf(schema['examples'])].filter((each) => each !== undefined)
    // An example of another type would make the whole value invalid.
    const example = examples.find((each) => hasAllowedType(schema, each))
    if (example !== undefined) return example
    // An object may be the record, or hold it.
    if (typesOf(schema)?.has('null') && !typesOf(schema)?.has('object')) return null
  }
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values[0] as unknown
  switch (typeOf(schema)) {
    case 'object':
      return generateObject(options, schema, depth)
    case 'array': {
      const prefix = listOf(schema['prefixItems'])
      const length = numberOf(schema, 'minItems') ?? 0
      return Array.from({ length }, (_, index) => generate(options, prefix[index] ?? schema['items'], depth + 1))
    }
    case 'boolean':
      return true
    case 'null':
      return null
    case 'integer':
    case 'number':
      return generateNumber(schema)
    default:
      return generateString(schema)
  }
}

function generateObject(options: Options, schema: JsonObject, depth: number): JsonObject {
  const required = listOf(schema['required'])
  const properties = objectAt(schema, 'properties')
  const entries = required.map(String).flatMap((name) => {
    const property: unknown = Object.hasOwn(properties, name) ? properties[name] : {}
    const isSent = !isObject(property) || property['writeOnly'] !== true
    return isSent ? [[name, generate(options, property, depth + 1)] as const] : []
  })
  return Object.fromEntries(entries)
}

function generateString(schema: JsonObject): string {
  const text = (formats[String(schema['format'])] ?? '').padEnd(numberOf(schema, 'minLength') ?? 0, 'x')
  const pattern = schema['pattern']
  return typeof pattern === 'string' ? (generateMatchingText(pattern, text) ?? text) : text
}

function generateNumber(schema: JsonObject): number {
  const step = numberOf(schema, 'multipleOf') ?? 1
  const above = numberOf(schema, 'exclusiveMinimum')
  const least = numberOf(schema, 'minimum') ?? (above === undefined ? undefined : above + step)
  const most = numberOf(schema, 'maximum') ?? numberOf(schema, 'exclusiveMaximum')
  if (least !== undefined) return Math.ceil(least / step) * step
  return most === undefined || most > 0 ? 0 : Math.floor(most / step) * step - step
}

const numberOf = (schema: JsonObject, key: string): number | undefined =>
  typeof schema[key] === 'number' ? schema[key] : undefined

function typeOf(schema: JsonObject): unknown {
  const types: unknown[] = [schema['type']].flat()
  if (schema['type'] !== undefined) return types.find((type) => type !== 'null') ?? 'null'
  if ('properties' in schema || 'required' in schema) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

/** Merges a schema with its reference, all of `allOf`, and the first of `oneOf` and `anyOf`. */
function flatten(root: unknown, given: unknown, depth: number): JsonObject {
  if (!isObject(given) || depth > maxDepth) return {}
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = given
  const parts = [
    ...(typeof reference === 'string' ? [resolveReference(root, reference)?.value] : []),
    ...listOf(allOf),
    ...listOf(anyOf).slice(0, 1),
    ...listOf(oneOf).slice(0, 1),
  ]
  return parts.map((part) => flatten(root, part, depth + 1)).reduce(mergeSchemas, own)
}

/** Merges two schemas that both hold for a value. Of a keyword that both have, the first has precedence; properties and `required` are joined. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...other, ...one }
  if (isObject(one['properties']) && isObject(other['properties'])) {
    const properties: Record<string, unknown> = { ...other['properties'], ...one['properties'] }
    for (const [name, property] of Object.entries(one['properties'])) {
      const same = Object.hasOwn(other['properties'], name) ? other['properties'][name] : property
      if (same !== property) properties[name] = { allOf: [property, same] }
    }
    merged['properties'] = properties
  }
  if (Array.isArray(one['required']) && Array.isArray(other['required']))
    merged['required'] = [...new Set<unknown>([...(one['required'] as unknown[]), ...(other['required'] as unknown[])])]
  return merged
}

/** The characters that a class may choose from, the preferred ones first. */
const alphabet = [
  ...Array.from('a0A-_ .:/@#'),
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
]

/**
 * Generates a short text that matches a pattern. It ignores lookarounds and backreferences, so the caller must validate the text.
 *
 * @param preferred - Returned if it matches. Default: none, so that the text is generated.
 * @returns Undefined if the pattern is not a regular expression.
 */
export function generateMatchingText(pattern: string, preferred?: string): string | undefined {
  try {
    if (preferred !== undefined && new RegExp(pattern, 'u').test(preferred)) return preferred
  } catch {
    // A pattern that does not compile is reported by the linter.
    return undefined
  }
  return charactersOf(pattern, 0)
    ?.map((choices) => choices[0] ?? '')
    .join('')
}

/**
 * Lists the characters that a matching text may have at each place, of the first alternatives of the pattern.
 *
 * @param openLength - The length of a part without an upper bound, such as `[a-z]+`, if it allows that length.
 * @returns Undefined if the pattern is not a regular expression.
 */
export function charactersOf(pattern: string, openLength: number): readonly (readonly string[])[] | undefined {
  try {
    void new RegExp(pattern, 'u')
    return new PatternReader(pattern, openLength).alternatives()
  } catch {
    return undefined
  }
}

class PatternReader {
  readonly #pattern: string
  readonly #openLength: number
  #at = 0

  constructor(pattern: string, openLength: number) {
    this.#pattern = pattern
    this.#openLength = openLength
  }

  /** Reads up to the end of a group. @returns The places of the first alternative. */
  alternatives(): (readonly string[])[] {
    const read: (readonly string[])[][] = [[]]
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ')') {
      if (this.#take('|')) read.push([])
      else for (const place of this.#repeated(this.#atom())) read.at(-1)?.push(place)
    }
    return read[0] ?? []
  }

  #take(text: string): boolean {
    const isThere = this.#pattern.startsWith(text, this.#at)
    if (isThere) this.#at += text.length
    return isThere
  }

  #match(expression: RegExp): string | undefined {
    const found = expression.exec(this.#pattern.slice(this.#at))?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #atom(): (readonly string[])[] {
    if (this.#take('^') || this.#take('$') || this.#match(/^\\[bB]/u) !== undefined) return []
    const look = this.#match(/^\(\?<?[=!]/u)
    if (look !== undefined || this.#match(/^\((?:\?:|\?<[^>]*>)?/u) !== undefined) {
      const inside = this.alternatives()
      this.#take(')')
      return look === undefined ? inside : []
    }
    const one = /^(?:\[\^?(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[pP]\{[^}]*\}|\\.|.)/isu
    const isOne = new RegExp(`^${this.#match(one) ?? ''}$`, 'u')
    return [alphabet.filter((character) => isOne.test(character))]
  }

  #repeated(places: (readonly string[])[]): (readonly string[])[] {
    const quantifier = this.#match(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u) ?? '{1}'
    const [, least = quantifier.startsWith('+') ? '1' : '0', , most = least] =
      /^\{(\d+)(,(\d*))?/u.exec(quantifier) ?? []
    const isOpen = /^[*+]/u.test(quantifier) || most === ''
    const upper = isOpen ? Infinity : quantifier.startsWith('?') ? 1 : Number(most)
    const length = Math.max(Number(least), Math.min(this.#openLength, upper))
    return Array.from({ length }, () => places).flat()
  }
}
