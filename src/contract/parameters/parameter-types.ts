/** What texts stand for, by their schemas: a number, a boolean, null, or themselves. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import type { Json } from '../contract.js'
import { boundsOf, toNumber } from '../schemas/exact-integers.js'
import type { Shape, Text } from './parameter-styles.js'

/** The types of JSON Schema. */
type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'

const jsonTypes: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']

const lexical = {
  integer: /^(?:0|-?[1-9]\d*)$/u,
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u,
  boolean: /^(?:true|false)$/u,
}

/**
 * Which way to read a text that a schema allows more than one type for: as the most specific type that it looks like, or as text wherever
 * text is allowed.
 */
export type Reading = 'specific' | 'text'

/** Finds the types that a schema allows, through `allOf`, `anyOf` and `oneOf`. Undefined where it does not say. */
export function typesOf(schema: unknown, seen: readonly unknown[] = []): ReadonlySet<JsonType> | undefined {
  if (!isObject(schema) || seen.includes(schema)) return undefined
  const inside = [...seen, schema]
  const all = [ownTypes(schema), ...listOf(schema['allOf']).map((part) => typesOf(part, inside))]
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = listOf(schema[keyword]).map((part) => typesOf(part, inside))
    const known = parts.filter((part) => part !== undefined)
    if (known.length > 0 && known.length === parts.length) all.push(new Set(known.flatMap((part) => [...part])))
  }
  const said = all.filter((types) => types !== undefined)
  if (said.length === 0) return undefined
  return new Set(jsonTypes.filter((type) => said.every((types) => types.has(type) || isIntegerOf(types, type))))
}

const isIntegerOf = (types: ReadonlySet<JsonType>, type: JsonType): boolean => type === 'integer' && types.has('number')

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function ownTypes(schema: JsonObject): ReadonlySet<JsonType> | undefined {
  const { type } = schema
  if (type !== undefined) return new Set(jsonTypes.filter((known) => known === type || listOf(type).includes(known)))
  const values = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
  if (values.length > 0) return new Set(values.map(typeOfValue))
  if (isObject(schema['properties']) || isObject(schema['additionalProperties'])) return new Set(['object'])
  return schema['items'] === undefined ? undefined : new Set(['array'])
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' ? 'string' : 'object'
}

/** Lists the shapes that a schema allows, the one with the most structure first. */
export function shapesOf(schema: unknown): readonly Shape[] {
  const types = typesOf(schema)
  const shapes: Shape[] = []
  if (types?.has('object')) shapes.push('object')
  if (types?.has('array')) shapes.push('array')
  if (!types || [...types].some((type) => type !== 'object' && type !== 'array')) shapes.push('primitive')
  return shapes
}

/** Converts a text. What does not look like any of its types stays text, and the check of the schema refuses it. */
export function convert(text: Text, schema: unknown, reading: Reading): Json {
  if (typeof text === 'string') return convertString(text, schema, reading)
  if (isList(text)) return text.map((item) => convert(item, itemSchema(schema), reading))
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => [name, convert(value, propertySchema(schema, name), reading)]),
  )
}

const isList = (text: Text): text is readonly Text[] => Array.isArray(text)

function convertString(text: string, schema: unknown, reading: Reading): Json {
  const types = typesOf(schema) ?? new Set<JsonType>(['string'])
  if (types.has('string') && (reading === 'text' || types.size === 1)) return text
  if (types.has('boolean') && lexical.boolean.test(text)) return text === 'true'
  const number = types.has('number') ? lexical.number : types.has('integer') ? lexical.integer : undefined
  if (number?.test(text)) return toNumber(text, boundsOf(schema))
  // RFC 6570 has no null. What is there and empty is the nearest to it.
  if (types.has('null') && !types.has('string') && text === '') return null
  const isComposite = types.has('array') && !types.has('string') && !types.has('object')
  return isComposite ? [convertString(text, itemSchema(schema), reading)] : text
}

/** The schema of the items of an array. */
export const itemSchema = (schema: unknown): unknown => anyOf(partsOf(schema).map((part) => part['items']))

/** The schema of a property of an object. */
export function propertySchema(schema: unknown, name: string): unknown {
  return anyOf(
    partsOf(schema).map((part) => {
      const { additionalProperties, patternProperties, properties } = part
      if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
      const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : []
      const match = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))
      return match ? match[1] : additionalProperties
    }),
  )
}

function anyOf(schemas: readonly unknown[]): unknown {
  const known = schemas.filter(isObject)
  return known.length > 1 ? { anyOf: known } : known[0]
}

/** A schema, and the schemas it combines. */
export function partsOf(schema: unknown, seen: Set<unknown> = new Set()): readonly JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]))
  return [schema, ...parts.flatMap((part) => partsOf(part, seen))]
}
