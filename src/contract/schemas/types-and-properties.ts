/** Reads types, properties and items from a schema and from the schemas that it combines by `allOf`, `anyOf` and `oneOf`. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import type { JsonType } from '../../resources/schema/object-schema.js'

/** The types of JSON Schema. */
export const jsonTypes: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']

/** Returns an array as it is, and an empty array for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Lists a schema and all schemas that it combines. */
export function partsOf(schema: unknown, seen: Set<unknown> = new Set()): readonly JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(schema[keyword]))
  return [schema, ...parts.flatMap((part) => partsOf(part, seen))]
}

/** Lists the names of the properties of a schema, each once. */
export function propertyNames(schema: unknown): readonly string[] {
  const names = partsOf(schema).flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
  return [...new Set(names)]
}

/** Returns the schema of a property of an object. Undefined if there is none. */
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

/** Returns the schema of an item of an array. Undefined if there is none. */
export const itemSchema = (schema: unknown, index: number): unknown =>
  anyOf(partsOf(schema).map(({ items, prefixItems }) => listOf(prefixItems)[index] ?? items))

function anyOf(schemas: readonly unknown[]): unknown {
  const known = schemas.filter(isObject)
  return known.length > 1 ? { anyOf: known } : known[0]
}

/** Returns the types that a schema allows. Undefined if it does not restrict the type. */
export function typesOf(schema: unknown): ReadonlySet<JsonType> | undefined {
  if (!isObject(schema)) return undefined
  if (!typesBySchema.has(schema)) typesBySchema.set(schema, readTypes(schema, []))
  return typesBySchema.get(schema)
}

/** Results of `typesOf`. They halve the time to decode a query parameter. */
const typesBySchema = new WeakMap<JsonObject, ReadonlySet<JsonType> | undefined>()

/** @param seen - The schemas around this one: a schema may contain itself. */
function readTypes(schema: unknown, seen: readonly unknown[]): ReadonlySet<JsonType> | undefined {
  if (!isObject(schema) || seen.includes(schema)) return undefined
  const inside = [...seen, schema]
  const all = [ownTypes(schema), ...listOf(schema['allOf']).map((part) => readTypes(part, inside))]
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = listOf(schema[keyword]).map((part) => readTypes(part, inside))
    const known = parts.filter((part) => part !== undefined)
    if (known.length > 0 && known.length === parts.length) all.push(new Set(known.flatMap((part) => [...part])))
  }
  const restrictions = all.filter((types) => types !== undefined)
  if (restrictions.length === 0) return undefined
  return new Set(jsonTypes.filter((type) => restrictions.every((types) => allowsType(types, type))))
}

const allowsType = (types: ReadonlySet<JsonType>, type: JsonType): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'))

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

/** Tells whether a schema allows the type of a value. */
export const hasAllowedType = (schema: unknown, value: unknown): boolean =>
  typesOf(schema)?.has(Number.isInteger(value) ? 'integer' : typeOfValue(value)) ?? true

/** The structure of a serialized value. */
export type Shape = 'primitive' | 'array' | 'object'

/** Lists the shapes that a schema allows, from object to primitive. */
export function shapesOf(schema: unknown): readonly Shape[] {
  const types = typesOf(schema)
  const shapes: Shape[] = []
  if (types?.has('object')) shapes.push('object')
  if (types?.has('array')) shapes.push('array')
  if (!types || [...types].some((type) => type !== 'object' && type !== 'array')) shapes.push('primitive')
  return shapes
}
