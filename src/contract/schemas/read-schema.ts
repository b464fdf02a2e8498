/**
 * Reads types, properties and items of schemas.
 *
 * `objectSchema`, `itemsOf` and `declaredTypes` read what holds for every value, from the schemas that a schema combines. `possibleSchemas`,
 * `propertySchema` and `typesOf` read what a value may have, from all alternatives.
 */
import { isObject, type JsonObject, listOf, objectAt, objectOf, onlyOf, textOf } from '../../documents/object.js'
import { onceForObject } from '../../once.js'

export interface ObjectSchema {
  /** Property schemas by name, in the spec's order. */
  readonly properties: ReadonlyMap<string, JsonObject>
  readonly required: ReadonlySet<string>
  /** True if properties that the schema does not name are refused. */
  readonly closed: boolean
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** The same schema gives the same values, which a contract then compiles once. They save a third of the time to load a large contract. */
const objectOnce = onceForObject(readObject)

/** Reads the schema of an object. Of a choice of objects, it has the properties of all, and requires what each requires. @returns Undefined if it is not the schema of an object. */
export function objectSchema(schema: JsonObject): ObjectSchema | undefined {
  // A choice may contain itself.
  if (reading.has(schema)) return undefined
  reading.add(schema)
  const found = objectOnce(schema)
  reading.delete(schema)
  return found
}

const reading = new Set<JsonObject>()

/** Returns the properties of an object by name. Empty: it is not the schema of an object. */
export const propertiesOf = (schema: JsonObject): ObjectSchema['properties'] =>
  objectSchema(schema)?.properties ?? new Map()

function readObject(schema: JsonObject): ObjectSchema | undefined {
  const types = declaredTypes(schema).filter((type) => type !== 'null')
  const choices = choicesOf(schema)
  if (types.length > 1 || (types.length === 0 ? choices.length === 0 : types[0] !== 'object')) return undefined
  const properties = new Map<string, JsonObject>()
  const required = new Set<string>()
  let closed = false
  for (const alternatives of choices) {
    const objects = alternatives.flatMap((each) => objectSchema(each) ?? [])
    if (objects.length < alternatives.length && types.length === 0) return undefined
    if (objects.length < alternatives.length) continue
    for (const object of objects)
      for (const [name, property] of object.properties) if (!properties.has(name)) properties.set(name, property)
    for (const name of objects[0]?.required ?? [])
      if (objects.every((each) => each.required.has(name))) required.add(name)
  }
  for (const part of combinedSchemas(schema)) {
    for (const [name, property] of Object.entries(objectAt(part, 'properties'))) {
      const known = properties.get(name)
      const next = objectOf(property)
      properties.set(name, known && known !== next && !isUntold(known, next) ? { allOf: [known, next] } : next)
    }
    for (const name of listOf(part['required'])) if (typeof name === 'string') required.add(name)
    if (part['additionalProperties'] === false || part['unevaluatedProperties'] === false) closed = true
  }
  return { properties, required, closed }
}

/**
 * Tells whether a schema says nothing of a value that another one does not say, such as that of the `data` of an envelope that each response
 * describes. The other one then stays the same object, by which records are known.
 */
const isUntold = (schema: JsonObject, next: JsonObject): boolean =>
  Object.entries(schema).every(
    ([key, value]) =>
      /^(?:description|title|examples?|externalDocs)$/u.test(key) ||
      (key === 'type' && value === 'object' && declaredTypes(next).includes('object')),
  )

/** Returns the schema of the items of an array. Undefined: it is not the schema of an array, or does not describe the items. */
export const itemsOf = onceForObject(readItems)

function readItems(schema: JsonObject): JsonObject | undefined {
  const types = declaredTypes(schema).filter((type) => type !== 'null')
  if (types.length !== 1 || types[0] !== 'array') return undefined
  // `allOf` may refine the items of a general array.
  const found = combinedSchemas(schema).map((part) => part['items'])
  const [first, ...others] = new Set(found.filter(isObject))
  return others.length === 0 ? first : { allOf: [first, ...others] }
}

/** Returns the types that a schema allows. Empty: any. */
export const declaredTypes = onceForObject(readDeclaredTypes)

function readDeclaredTypes(schema: JsonObject): readonly JsonType[] {
  const types = new Set<JsonType>()
  for (const part of combinedSchemas(schema)) {
    for (const type of [part['type']].flat()) if (typeof type === 'string') types.add(type as JsonType)
    if (part['nullable'] === true) types.add('null')
    if (part['type'] !== undefined) continue
    if (isObject(part['properties'])) types.add('object')
    if (isObject(part['items'])) types.add('array')
    if ('const' in part) types.add(typeOfValue(part['const']))
    for (const value of listOf(part['enum'])) types.add(typeOfValue(value))
  }
  return [...types]
}

/** Tells whether a schema allows null explicitly. */
export const isNullable = (schema: JsonObject): boolean => declaredTypes(schema).includes('null')

export const findKeyword = (schema: JsonObject, name: string): unknown =>
  combinedSchemas(schema).find((part) => Object.hasOwn(part, name))?.[name]

/** Returns the values that a schema allows by `enum` and `const`, its own and those of the schemas that it combines. Empty: any. */
export const allowedValues = onceForObject((schema: JsonObject) => commonValues(combinedSchemas(schema)))

/** Returns the values that all of some schemas allow by `enum` and `const`. Of schemas that exclude each other, the first counts. Empty: any. */
export function commonValues(schemas: readonly JsonObject[]): readonly unknown[] {
  const [first = [], ...others] = schemas.flatMap((part) => {
    const values = 'const' in part ? [part['const']] : listOf(part['enum'])
    return values.length > 0 ? [values] : []
  })
  const common = first.filter((value) => others.every((values) => values.includes(value)))
  return common.length > 0 ? common : first
}

/** Returns the description of a schema, in one line. Empty if there is none. */
export const descriptionOf = (schema: JsonObject) => textOf(findKeyword(schema, 'description')).replaceAll(/\s+/gu, ' ')

/** Tells whether a schema, or one that it combines, has a keyword such as `readOnly`. */
export const isMarked = (schema: JsonObject, name: 'readOnly' | 'writeOnly'): boolean =>
  combinedSchemas(schema).some((part) => part[name] === true)

/** Tells whether a schema allows nothing but null. */
export const isNull = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['type'] === 'null' || schema['const'] === null || String(schema['enum']) === String([null]))

/** Lists a schema and the schemas that it combines: `allOf`, and the only schema of `oneOf` or `anyOf` that is not null. */
const combinedSchemas = onceForObject(combine)

function combine(schema: JsonObject): readonly JsonObject[] {
  return listInside(schema, (part) => {
    const onlyChoices = ['oneOf', 'anyOf'].flatMap((name) => {
      const choices = listOf(part[name])
      const others = choices.filter((choice) => !isNull(choice))
      // TypeBox writes an enum as a choice of constants.
      const values = others.flatMap((choice) => (isObject(choice) && 'const' in choice ? [choice['const']] : []))
      const only = others.length > 1 && values.length === others.length ? [{ enum: values }] : others
      return only.length === 1 ? [...only, ...(choices.length > others.length ? [nullType] : [])] : []
    })
    return [...listOf(part['allOf']), ...onlyChoices]
  })
}

/** Lists a schema and those that follow from it, each once, before those that follow from these. */
export function listInside(schema: unknown, inside: (part: JsonObject) => readonly unknown[]): readonly JsonObject[] {
  const found = new Set<JsonObject>()
  const visit = (part: unknown): void => {
    if (!isObject(part) || found.has(part)) return
    found.add(part)
    for (const inner of inside(part)) visit(inner)
  }
  visit(schema)
  return [...found]
}

/** Lists the choices of several schemas that a schema has, null left out. */
const choicesOf = (schema: JsonObject): readonly (readonly JsonObject[])[] =>
  combinedSchemas(schema)
    .flatMap((part) => ['oneOf', 'anyOf'].map((name) => listOf(part[name]).filter(isObject)))
    .map((choices) => choices.filter((choice) => !isNull(choice)))
    .filter((choices) => choices.length > 1)

/** Tells whether a schema is a choice of several schemas, null left out. */
export const isChoice = (schema: JsonObject): boolean => choicesOf(schema).length > 0

/** Returns the only one of several schemas whose `enum` and `const` of properties, at least one, allow the values of an object. Undefined: there is not one. */
export function chosenSchema(schema: JsonObject, value: JsonObject): JsonObject | undefined {
  const [choices = []] = choicesOf(schema)
  const fitting = choices.filter((choice) => {
    const limited = [...propertiesOf(choice)].flatMap(([name, property]) => {
      const allowed = allowedValues(property)
      return allowed.length > 0 && Object.hasOwn(value, name) ? [allowed.includes(value[name])] : []
    })
    return limited.length > 0 && limited.every(Boolean)
  })
  return onlyOf(fitting)
}

const nullType: JsonObject = Object.freeze({ type: 'null' })

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'string' | 'boolean' | 'object'
}

/** Returns the only scalar type that a schema allows, except null. Undefined: it allows several, or none. */
export function scalarType(schema: JsonObject): 'string' | 'integer' | 'number' | 'boolean' | undefined {
  const [type, ...others] = declaredTypes(schema).filter((each) => each !== 'null')
  return others.length > 0 || type === 'object' || type === 'array' ? undefined : type
}

/** Like `scalarType`. An integer is a number. */
export const comparedType = (schema: JsonObject): string | undefined => scalarType(schema)?.replace('integer', 'number')

export const jsonTypes: readonly JsonType[] = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']

/** Lists the objects in a value, at any depth, each once. The value may contain itself. */
export function* objectsIn(value: unknown): Generator<JsonObject, void> {
  const known = new Set<unknown>([value])
  for (const each of known) {
    if (typeof each !== 'object' || each === null) continue
    if (isObject(each)) yield each
    for (const inner of Object.values(each)) known.add(inner)
  }
}

/** Lists a schema, and all of its `allOf`, `anyOf` and `oneOf`: a value may have to be valid by each of them. @param keywords - Default: all three. */
export const possibleSchemas = (schema: unknown, keywords = ['allOf', 'anyOf', 'oneOf']): readonly JsonObject[] =>
  listInside(schema, (part) => keywords.flatMap((keyword) => listOf(part[keyword])))

export const propertyNames = (schema: unknown): readonly string[] => [
  ...new Set(possibleSchemas(schema).flatMap((part) => Object.keys(objectAt(part, 'properties')))),
]

/** Returns the schema of a property of an object. Undefined if there is none. */
export function propertySchema(schema: unknown, name: string): unknown {
  const found = possibleSchemas(schema).map(({ additionalProperties, patternProperties, properties }) => {
    if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
    const match = Object.entries(objectOf(patternProperties)).find(([pattern]) => new RegExp(pattern, 'u').test(name))
    return match ? match[1] : additionalProperties
  })
  return anyOf(found)
}

/** Returns the schema of an item of an array. Undefined if there is none. */
export const itemSchema = (schema: unknown, index: number): unknown =>
  anyOf(possibleSchemas(schema).map(({ items, prefixItems }) => listOf(prefixItems)[index] ?? items))

function anyOf(schemas: readonly unknown[]): unknown {
  const known = schemas.filter(isObject)
  return known.length > 1 ? { anyOf: known } : known[0]
}

/** Returns the types that a schema allows. Undefined if it does not restrict the type. */
export const typesOf = (schema: unknown): ReadonlySet<JsonType> | undefined =>
  isObject(schema) ? typesOfObject(schema) : undefined

/** Keeping them halves the time to decode a query parameter. */
const typesOfObject = onceForObject((schema: JsonObject) => readTypes(schema, []))

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

export const hasAllowedType = (schema: unknown, value: unknown) => typesOf(schema)?.has(typeOfValue(value)) ?? true

export type Shape = 'primitive' | 'array' | 'object'

/** Lists the shapes that a schema allows, from object to primitive. */
export function shapesOf(schema: unknown): readonly Shape[] {
  const types = typesOf(schema)
  const structures = (['object', 'array'] as const).filter((type) => types?.has(type))
  return types && types.size === structures.length ? structures : [...structures, 'primitive']
}

/** Tells whether a value is a text, of which no keyword but a length says which. */
export const isFreeText = (schema: JsonObject): boolean =>
  scalarType(schema) === 'string' &&
  ['const', 'enum', 'format', 'pattern'].every((keyword) => findKeyword(schema, keyword) === undefined)
