/** Makes values by schemas. The walk is the same for all of them; a chooser decides what a schema leaves open. */
import { type JsonObject, isObject, listOf, objectAt, objectOf, textOf } from '../documents/object.js'
import { resolveReference } from '../documents/pointer.js'
import { generateMatchingText } from './matching-text.js'
import { withUnicodeFlag } from './schemas/patterns.js'
import { commonValues, hasAllowedType, isNull, typesOf } from './schemas/read-schema.js'
import { toldConstant, toldValues } from './told-values.js'

const maxDepth = 30

export const leftOut = Symbol('left out')

export interface Surroundings {
  /** False: the value may be left out. */
  readonly isRequired: boolean
  /** The value's schema before it was merged: a schema that contains itself is found by it. */
  readonly given: JsonObject
  /** The schemas around it, each as `given`. */
  readonly inside: readonly JsonObject[]
}

/** Decides what schemas leave open. A place tells values apart. */
export interface Chooser<Place> {
  /** Resolves references. */
  readonly root: unknown
  /** @param siblings - The names of all properties of the object. */
  at(place: Place, name: string | number, siblings?: ReadonlySet<string>): Place
  /** Returns a value that is not made by the type of its schema, or `leftOut`. Undefined: it is. */
  choose(schema: JsonObject, place: Place, surroundings: Surroundings): unknown
  /** Lists texts and numbers, the best first. If the schema allows none of the type, it gets a part of the first text, or a number in its bounds. */
  candidates(schema: JsonObject, place: Place): Iterable<string | number>
  /** Returns a number from 0 to `count` - 1. @param use - Tells the numbers of a place apart. */
  draw(place: Place, count: number, use: string): number
  /** Returns the length of a list or a map. The walk keeps it within the bounds. */
  lengthOf(place: Place, least: number, depth: number): number
  schemaName?(schema: JsonObject): string | undefined
}

/** Names of entries that a schema demands or describes without a name. */
const entryNames = ['source', 'region', 'channel', 'team', 'phase', 'series']

/** The caller must validate the values: `not`, conditions and dependencies are not read. */
export class ValueMaker<Place> {
  readonly #chooser: Chooser<Place>

  constructor(chooser: Chooser<Place>) {
    this.#chooser = chooser
  }

  /** @returns Undefined: the value is left out. */
  make(schema: unknown, place: Place, isRequired = true, inside: readonly JsonObject[] = []): unknown {
    if (inside.length > maxDepth) return null
    const given = objectOf(schema)
    const flat = this.#flatten(given, place, 0)
    const chosen = this.#chooser.choose(flat, place, { isRequired, given, inside })
    if (chosen !== undefined) return chosen === leftOut ? undefined : chosen
    if ('const' in flat) return flat['const']
    const values = listOf(flat['enum'])
    if (values.length > 0) return values[0]
    const type = typeOf(flat)
    if (type === 'object') return this.makeObject(flat, place, [...inside, given])
    if (type === 'array') return this.#makeList(flat, place, [...inside, given])
    if (type === 'integer' || type === 'number') return this.#makeNumber(flat, place)
    return type === 'boolean' ? true : type === 'null' ? null : this.#makeText(flat, place)
  }

  /** Makes an object by a merged schema. @param known - Properties whose values are known. */
  makeObject(schema: JsonObject, place: Place, inside: readonly JsonObject[], known: JsonObject = {}): JsonObject {
    const properties = objectAt(schema, 'properties')
    const required = new Set(listOf(schema['required']).map(String))
    const entries = new Map<string, unknown>()
    const names = new Set([...Object.keys(properties), ...required])
    const add = (name: string, property: unknown, isRequired: boolean): void => {
      if (isObject(property) && property['writeOnly'] === true) return
      const value = Object.hasOwn(known, name)
        ? known[name]
        : this.make(property, this.#chooser.at(place, name, names), isRequired, inside)
      if (value !== undefined) entries.set(name, value)
    }
    for (const name of names) add(name, Object.hasOwn(properties, name) ? properties[name] : {}, required.has(name))
    const others = schema['additionalProperties']
    const least = numberIn(schema, 'minProperties') ?? 0
    const isMap = isObject(others) && names.size === 0
    const wanted = isMap ? this.#chooser.lengthOf(place, least, inside.length) : least
    const most = Math.min(wanted, numberIn(schema, 'maxProperties') ?? Infinity)
    for (const name of entryNames) if (entries.size < most && !entries.has(name)) add(name, others, true)
    return Object.fromEntries(entries)
  }

  #makeList(schema: JsonObject, place: Place, inside: readonly JsonObject[]): readonly unknown[] {
    const prefix = listOf(schema['prefixItems'])
    const least = numberIn(schema, 'minItems') ?? 0
    const isAny = schema['items'] === undefined && prefix.length === 0
    const length = isAny ? least : this.#chooser.lengthOf(place, Math.max(least, prefix.length), inside.length)
    const wanted = Math.min(length, numberIn(schema, 'maxItems') ?? Infinity)
    const items = new Map<string, unknown>()
    // The example of a list shows its items.
    const examples = listOf(schema['example']).filter((each) => typeof each === 'string')
    const item = examples.length > 0 ? { allOf: [schema['items'], { examples }] } : schema['items']
    // Of some items few values exist, so there is a limit of attempts.
    for (let index = 0; items.size < wanted && index < wanted + 10; index += 1) {
      const value = this.make(prefix[index] ?? item, this.#chooser.at(place, index), items.size < least, inside)
      if (value === undefined || (value === null && wanted > least)) continue
      const isRepeated = schema['uniqueItems'] !== true && items.size < least && index > 5
      items.set(isRepeated ? `item ${index}` : JSON.stringify(value), value)
    }
    return [...items.values()]
  }

  #makeNumber(schema: JsonObject, place: Place): number {
    const step = numberIn(schema, 'multipleOf') ?? (typeOf(schema) === 'integer' ? 1 : 0.01)
    // In steps, so that each value is a multiple.
    const inSteps = (name: string, otherwise: number): number =>
      Number(((numberIn(schema, name) ?? otherwise) / step).toFixed(6))
    // OpenAPI 3.0 says by a boolean that a bound is exclusive.
    const above = inSteps(schema['exclusiveMinimum'] === true ? 'minimum' : 'exclusiveMinimum', -Infinity)
    const below = inSteps(schema['exclusiveMaximum'] === true ? 'maximum' : 'exclusiveMaximum', Infinity)
    const least = Math.max(Math.ceil(inSteps('minimum', -Infinity)), Math.floor(above) + 1)
    const most = Math.min(Math.floor(inSteps('maximum', Infinity)), Math.ceil(below) - 1)
    const candidate = [...this.#chooser.candidates(schema, place)].find((each) => typeof each === 'number')
    const wanted = Math.round((candidate ?? 0) / step)
    const span = Math.max(0, Math.min(most - least, 20))
    const nearest = (wanted < least ? least : most - span) + this.#chooser.draw(place, span + 1, 'within')
    return Number(((wanted >= least && wanted <= most ? wanted : nearest) * step).toFixed(10))
  }

  #makeText(schema: JsonObject, place: Place): string {
    const { pattern } = schema
    const compiled = typeof pattern === 'string' ? withUnicodeFlag(pattern) : undefined
    const expression = compiled === undefined ? undefined : new RegExp(compiled, 'u')
    const least = numberIn(schema, 'minLength') ?? 0
    const most = numberIn(schema, 'maxLength') ?? Infinity
    let first: string | undefined
    for (const text of this.#chooser.candidates(schema, place)) {
      const given = String(text)
      first ??= given
      if (given.length >= least && given.length <= most && (expression?.test(given) ?? true)) return given
    }
    // A cut at a space keeps whole words.
    return (first ?? '').slice(0, most).replace(/\s+$/u, 'x').padEnd(least, 'x')
  }

  /** Merges a schema with its reference, all of `allOf`, and one of `oneOf` and of `anyOf`. */
  #flatten(given: JsonObject, place: Place, depth: number): JsonObject {
    const { $ref: reference, allOf, anyOf, oneOf, ...own } = given
    if (depth > maxDepth) return {}
    if (reference === undefined && !allOf && !anyOf && !oneOf) return given
    const lists = [anyOf, oneOf].map((list) => listOf(list)).filter(({ length }) => length > 0)
    const chosen = lists.map((list) => {
      const choices = list.some((each) => !isNull(each)) ? list.filter((each) => !isNull(each)) : list
      return this.#withDiscriminator(choices[this.#chooser.draw(place, choices.length, `choice ${depth}`)], own)
    })
    const nullable = lists.some((list) => list.some(isNull)) ? { nullable: true } : {}
    const target = typeof reference === 'string' ? [resolveReference(this.#chooser.root, reference)?.value] : []
    const parts = [...target, ...listOf(allOf), ...chosen].filter(isObject)
    return parts.map((part) => this.#flatten(part, place, depth + 1)).reduce(mergeSchemas, { ...own, ...nullable })
  }

  /** Adds the value of the discriminator to a schema that was chosen. */
  #withDiscriminator(chosen: unknown, { discriminator }: JsonObject): unknown {
    const { mapping, propertyName } = objectOf(discriminator)
    const name = isObject(chosen) ? this.#chooser.schemaName?.(chosen) : undefined
    if (typeof propertyName !== 'string' || name === undefined) return chosen
    const mapped = Object.entries(objectOf(mapping))
    const value = mapped.find(([, target]) => String(target).split('/').at(-1) === name)?.[0] ?? name
    return { allOf: [{ properties: { [propertyName]: { const: value } }, required: [propertyName] }, chosen] }
  }
}

export const numberIn = (schema: JsonObject, name: string): number | undefined =>
  typeof schema[name] === 'number' ? schema[name] : undefined

/** Returns the type of the values that are made by a merged schema: the first that it allows, null last. */
export function typeOf(schema: JsonObject): unknown {
  if (schema['type'] !== undefined) return [schema['type']].flat().find((type) => type !== 'null') ?? 'null'
  if (['properties', 'additionalProperties', 'required'].some((name) => name in schema)) return 'object'
  if ('items' in schema) return 'array'
  return 'minimum' in schema || 'maximum' in schema ? 'number' : 'string'
}

/**
 * Merges two schemas that both hold for a value. Of a keyword that both have, the first has precedence; properties and `required` are joined, and
 * the values of `enum` and `const` are those that both allow.
 */
function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject {
  const [mine, theirs] = [objectAt(one, 'properties'), objectAt(other, 'properties')]
  const entries = Object.entries(mine).map(([name, property]) => {
    const isSame = !Object.hasOwn(theirs, name) || theirs[name] === property
    return [name, isSame ? property : { allOf: [property, theirs[name]] }] as const
  })
  const properties = { ...theirs, ...Object.fromEntries(entries) }
  const required = [...new Set([...listOf(one['required']), ...listOf(other['required'])])]
  const joined = { ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) }
  const { const: _value, ...merged }: JsonObject = { ...other, ...one, ...joined }
  const values = commonValues([one, other])
  const isConstant = values.length === 1 && ('const' in one || 'const' in other)
  return values.length === 0 ? merged : { ...merged, ...(isConstant ? { const: values[0] } : { enum: values }) }
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:30:00Z',
  'date-time-rfc-2822': 'Mon, 05 Jan 2026 09:30:00 +0000',
  duration: 'P1D',
  email: 'ada@example.com',
  hostname: 'example.com',
  'http-date': 'Mon, 05 Jan 2026 09:30:00 GMT',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '09:30:00Z',
  uri: 'https://example.com',
  'uri-reference': '/',
  'uri-template': '/{id}',
  url: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** The use of a minimal value. A `response` has examples, and null where it may be; `shown` also has the optional properties with an example. `whole` has all that is optional, at most two levels deep, and no empty text, empty list or 0 that need not be. */
export type ValueUse = 'request' | 'response' | 'shown' | 'whole'

/** The names of properties that a success does not have. */
const ofFailures = /^(?:errors?|warnings?|exceptions?|problems?)$/iu

/** Chooses only required properties, and the least lengths. A place is the name of a property. */
const minimal = (root: unknown, use: ValueUse): Chooser<string> => ({
  root,
  at: (_, name) => String(name),
  draw: () => 0,
  lengthOf: (_, least, depth) => (use === 'whole' && depth < 3 ? Math.max(least, 1) : least),
  *candidates({ format, minLength, pattern, type }) {
    if (use === 'whole' && /^(?:integer|number)$/u.test(String(type))) yield 1
    yield formats[String(format)] ?? (use === 'whole' ? 'a' : '')
    if (typeof pattern !== 'string') return
    for (const length of [0, 1, Number(minLength ?? 0)]) yield generateMatchingText(pattern, length) ?? ''
  },
  choose: (schema, name, { inside, isRequired }) => {
    if (use === 'whole') return isRequired || inside.length < 3 ? undefined : leftOut
    const isShown = use === 'shown' && !ofFailures.test(name)
    if (!isRequired && !isShown) return leftOut
    if (use === 'request' || 'const' in schema) return undefined
    const values = listOf(schema['enum'])
    const example = exampleIn(schema) ?? toldText(schema, name) ?? (values.length === 1 ? values[0] : undefined)
    if (!isRequired) return example ?? (holdsExample(root, schema) ? undefined : leftOut)
    // An object may be the record, or hold it.
    return example ?? (typesOf(schema)?.has('null') && !typesOf(schema)?.has('object') ? null : undefined)
  },
})

/** Returns the example of a schema. One of another type would make the whole value invalid. */
const exampleIn = (schema: JsonObject): unknown =>
  [schema['example'], ...listOf(schema['examples'])].find((each) => each !== undefined && hasAllowedType(schema, each))

/** Returns the value of a text whose description says that it contains "ok", or is always another one, else the first that it lists. */
function toldText({ description, format, type }: JsonObject, name: string): unknown {
  const text = textOf(description)
  const part = /\bcontains? (["'`])([^"'`]+)\1/iu.exec(text)?.[2]
  return type === 'string'
    ? (part ?? toldConstant(text) ?? (format === undefined ? toldValues(text, name)[0] : undefined))
    : undefined
}

/** Tells whether an object has a property with an example, at most three levels deep. */
function holdsExample(root: unknown, schema: JsonObject, depth = 0): boolean {
  return Object.values(objectAt(schema, 'properties')).some((property) => {
    const { $ref: reference } = objectOf(property)
    const inner = objectOf(typeof reference === 'string' ? resolveReference(root, reference)?.value : property)
    return exampleIn(inner) !== undefined || (depth < 2 && holdsExample(root, inner, depth + 1))
  })
}

/** The caller must validate the value. @param root - Resolves the references of the schema. */
export const generateMinimalValue = (root: unknown, schema: unknown, use: ValueUse = 'request'): unknown =>
  new ValueMaker(minimal(root, use)).make(schema, '')
