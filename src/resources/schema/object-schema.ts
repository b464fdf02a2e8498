/** Reads schemas of objects, also inside of `allOf` and of nullable schemas. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { once } from '../../once.js'

/** The schema of an object. */
export interface ObjectSchema {
  /** Property schemas by name, in the spec's order. */
  readonly properties: ReadonlyMap<string, JsonObject>
  readonly required: ReadonlySet<string>
  /** True if properties that the schema does not name are refused. */
  readonly closed: boolean
}

/** The types of a JSON Schema. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** The values that are read from a schema, each once. */
interface SchemaValues {
  readonly parts: () => readonly JsonObject[]
  readonly object: () => ObjectSchema | undefined
  readonly items: () => JsonObject | undefined
}

/** The same schema gives the same values, which a contract then compiles once. They save a third of the time to load a large contract. */
const valuesBySchema = new WeakMap<JsonObject, SchemaValues>()

function valuesOf(schema: JsonObject): SchemaValues {
  const values = valuesBySchema.get(schema) ?? {
    parts: once(() => findParts(schema)),
    object: once(() => readObject(schema)),
    items: once(() => readItems(schema)),
  }
  valuesBySchema.set(schema, values)
  return values
}

/** Reads the schema of an object. @returns Undefined if it is not the schema of an object. */
export const objectSchema = (schema: JsonObject): ObjectSchema | undefined => valuesOf(schema).object()

function readObject(schema: JsonObject): ObjectSchema | undefined {
  const types = declaredTypes(schema).filter((type) => type !== 'null')
  if (types.length !== 1 || types[0] !== 'object') return undefined
  const properties = new Map<string, JsonObject>()
  const required = new Set<string>()
  let closed = false
  for (const part of partsOf(schema)) {
    for (const [name, property] of Object.entries(objectAt(part, 'properties'))) {
      const known = properties.get(name)
      const next = isObject(property) ? property : {}
      properties.set(name, known && known !== next ? { allOf: [known, next] } : next)
    }
    for (const name of listAt(part, 'required')) if (typeof name === 'string') required.add(name)
    if (part['additionalProperties'] === false || part['unevaluatedProperties'] === false) closed = true
  }
  return { properties, required, closed }
}

/** Returns the schema of the items of an array. Undefined: it is not the schema of an array, or does not describe the items. */
export const itemsOf = (schema: JsonObject): JsonObject | undefined => valuesOf(schema).items()

function readItems(schema: JsonObject): JsonObject | undefined {
  const types = declaredTypes(schema).filter((type) => type !== 'null')
  if (types.length !== 1 || types[0] !== 'array') return undefined
  // `allOf` may refine the items of a general array.
  const [first, ...others] = new Set(
    partsOf(schema)
      .map((part) => part['items'])
      .filter(isObject),
  )
  return others.length === 0 ? first : { allOf: [first, ...others] }
}

/** Returns the types that a schema allows. Empty: any. */
export function declaredTypes(schema: JsonObject): readonly JsonType[] {
  const types = new Set<JsonType>()
  for (const part of partsOf(schema)) {
    const own = Array.isArray(part['type']) ? (part['type'] as unknown[]) : [part['type']]
    for (const type of own) if (typeof type === 'string') types.add(type as JsonType)
    if (part['nullable'] === true) types.add('null')
    if (part['type'] !== undefined) continue
    if (isObject(part['properties'])) types.add('object')
    if (isObject(part['items'])) types.add('array')
    if ('const' in part) types.add(typeOfValue(part['const']))
    for (const value of listAt(part, 'enum')) types.add(typeOfValue(value))
  }
  return [...types]
}

/** Tells whether a schema allows null explicitly. */
export const isNullable = (schema: JsonObject): boolean => declaredTypes(schema).includes('null')

/** Finds a keyword in a schema or in the schemas that it combines. */
export function findKeyword(schema: JsonObject, name: string): unknown {
  return partsOf(schema).find((part) => Object.hasOwn(part, name))?.[name]
}

/** Tells whether a schema, or one that it combines, has a keyword such as `readOnly`. */
export const isMarked = (schema: JsonObject, name: 'readOnly' | 'writeOnly'): boolean =>
  partsOf(schema).some((part) => part[name] === true)

const isNull = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['type'] === 'null' || schema['const'] === null || String(schema['enum']) === String([null]))

/** Lists a schema and the schemas that it combines: `allOf`, and the only schema of `oneOf` or `anyOf` that is not null. */
const partsOf = (schema: JsonObject): readonly JsonObject[] => valuesOf(schema).parts()

function findParts(schema: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>()
  const visit = (part: unknown): void => {
    if (!isObject(part) || found.has(part)) return
    found.add(part)
    for (const inner of listAt(part, 'allOf')) visit(inner)
    for (const name of ['oneOf', 'anyOf']) {
      const choices = listAt(part, name)
      const others = choices.filter((choice) => !isNull(choice))
      if (others.length !== 1) continue
      visit(others[0])
      if (others.length < choices.length) found.add(nullType)
    }
  }
  visit(schema)
  return [...found]
}

/** Tells whether a schema is a choice of several schemas, null left out. */
export const isChoice = (schema: JsonObject): boolean =>
  partsOf(schema).some((part) =>
    ['oneOf', 'anyOf'].some((name) => listAt(part, name).filter((choice) => !isNull(choice)).length > 1),
  )

const nullType: JsonObject = Object.freeze({ type: 'null' })

const objectAt = (schema: JsonObject, key: string): JsonObject => {
  const value = schema[key]
  return isObject(value) ? value : {}
}

const listAt = (schema: JsonObject, key: string): readonly unknown[] => {
  const value = schema[key]
  return Array.isArray(value) ? (value as unknown[]) : []
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'string' | 'boolean' | 'object'
}
