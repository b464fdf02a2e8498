/** Creates the model of a record: the union of the read response and the items of the listing. */
import type { Contract, ValidationError } from '../../contract/contract.js'
import type { ObjectSchema } from '../../contract/schemas/read-schema.js'
import { isMarked, objectSchema, itemsOf, declaredTypes } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, setProperty } from '../../documents/object.js'
import { onceFor } from '../../once.js'
import { deepFreeze } from '../json.js'
import { recordKeys } from '../records/records.js'

export interface RecordModel {
  /** The schemas of the read response and of the listing's items, in this order. */
  readonly schemas: readonly JsonObject[]
  readonly properties: ReadonlyMap<string, JsonObject>
  /** Properties that every record has, without `writeOnly` ones. */
  readonly required: ReadonlySet<string>
  /** True if the contract refuses further properties. */
  readonly closed: boolean
  /** Properties that only requests have. They are stored and never sent. */
  readonly requestOnly: ReadonlySet<string>
}

/** Creates the model of a record. @returns The reason why there is none, as a clause. */
export function createRecordModel(
  schemas: readonly JsonObject[],
  requests: readonly ObjectSchema[],
): RecordModel | string {
  const objects = schemas.map(objectSchema).filter((part) => part !== undefined)
  const properties = new Map<string, JsonObject>()
  const required = new Set<string>()
  for (const part of objects) {
    for (const [name, schema] of part.properties) {
      const known = properties.get(name)
      const difference = known && findSchemaDifference(schema, known, name, 'items')
      if (difference !== undefined) return `the listing and the read response differ: ${difference}`
      if (!known) properties.set(name, schema)
    }
    for (const name of part.required) {
      const property = part.properties.get(name)
      if (!property || !isMarked(property, 'writeOnly')) required.add(name)
    }
  }
  const taken = recordKeys.find((key) => properties.has(key))
  if (taken !== undefined) return `its records have a property ${taken}, which is the double's own`
  const requestOnly = requests.flatMap((request) =>
    [...request.properties.keys()].filter((name) => !properties.has(name)),
  )
  const closed = objects.every((part) => part.closed)
  return { schemas, properties, required, closed, requestOnly: new Set(requestOnly) }
}

/** Validates a stored record. Paths are relative to the record. */
export function checkRecord(contract: Contract, model: RecordModel, record: JsonObject): readonly ValidationError[] {
  for (const part of model.schemas) {
    const validationErrors = checkStored(contract, part, select(record, choiceOf(model, part, true)))
    if (validationErrors.length > 0) return validationErrors
  }
  return []
}

/** Validates a stored value. Properties that only requests must have may be missing. */
export const checkStored = (contract: Contract, schema: JsonObject, value: unknown): readonly ValidationError[] =>
  contract.validate(storedSchemaOf(schema), value)

/**
 * Creates a function that returns the properties of a record that a schema describes, as a frozen value. The same record gives the same
 * value. If the schema describes all properties, that is the record itself.
 */
export function createProjection(recordModel: RecordModel, schema: JsonObject): (record: JsonObject) => JsonObject {
  const isShown = choiceOf(recordModel, schema, false)
  const isNested = hasWriteOnly(schema)
  const shown = new WeakMap<JsonObject, JsonObject>()
  return (record) => {
    const known = shown.get(record)
    if (known) return known
    const selected = select(record, isShown)
    const view = deepFreeze(isNested ? (withoutWriteOnly(schema, selected) as JsonObject) : selected)
    shown.set(record, view)
    return view
  }
}

/** Returns a test for the properties of a record that a schema describes. Undeclared properties belong to it if the schema allows additional properties. */
function choiceOf(recordModel: RecordModel, schema: JsonObject, isStored: boolean): (name: string) => boolean {
  const known = objectSchema(schema)
  const chosen = new Map<string, boolean>()
  for (const name of [...recordModel.properties.keys(), ...recordModel.requestOnly]) chosen.set(name, false)
  for (const [name, property] of known?.properties ?? []) chosen.set(name, isStored || !isMarked(property, 'writeOnly'))
  const isOpen = !known?.closed
  return (name) => chosen.get(name) ?? isOpen
}

function select(record: JsonObject, isChosen: (name: string) => boolean): JsonObject {
  const names = Object.keys(record)
  if (names.every(isChosen)) return record
  return Object.fromEntries(names.filter(isChosen).map((name) => [name, record[name]]))
}

/** Tells whether a schema has a `writeOnly` property anywhere inside. */
function hasWriteOnly(schema: JsonObject, seen: Set<JsonObject> = new Set()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const items = itemsOf(schema)
  if (items) return hasWriteOnly(items, seen)
  const properties = objectSchema(schema)?.properties ?? new Map<string, JsonObject>()
  return [...properties.values()].some((property) => isMarked(property, 'writeOnly') || hasWriteOnly(property, seen))
}

/** Leaves `writeOnly` properties out of a value. */
function withoutWriteOnly(schema: JsonObject, value: unknown): unknown {
  const items = itemsOf(schema)
  if (items && Array.isArray(value)) return (value as unknown[]).map((item) => withoutWriteOnly(items, item))
  const known = objectSchema(schema)
  if (!known || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const property = known.properties.get(name)
      if (!property) return [[name, inner]]
      return isMarked(property, 'writeOnly') ? [] : [[name, withoutWriteOnly(property, inner)]]
    }),
  )
}

/**
 * Creates the schema of a stored value: a required `writeOnly` property may be missing, because only requests must have it. Returns a schema
 * without such a property unchanged.
 */
function createStoredSchema(schema: JsonObject): JsonObject {
  if (!hasWriteOnly(schema)) return schema
  const copies = new Map<object, unknown>()
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (copies.has(value)) return copies.get(value)
    if (Array.isArray(value)) {
      const list: unknown[] = []
      copies.set(value, list)
      for (const item of value as unknown[]) list.push(copy(item))
      return list
    }
    const from = value as JsonObject
    const into: Record<string, unknown> = {}
    copies.set(value, into)
    for (const [key, inner] of Object.entries(from)) setProperty(into, key, copy(inner))
    const required = from['required']
    if (Array.isArray(required)) {
      const names = objectSchema(from)?.properties
      into['required'] = (required as unknown[]).filter((name) => {
        const property = typeof name === 'string' ? names?.get(name) : undefined
        return !property || !isMarked(property, 'writeOnly')
      })
    }
    return into
  }
  return copy(schema) as JsonObject
}

/** Gives the same object for the same schema, so a contract compiles it once. */
const storedSchemaOf = onceFor(createStoredSchema, new WeakMap())

/** The parts of a value that must have what a record requires. */
export type NeededParts = 'everywhere' | 'items' | 'nowhere'

/**
 * Finds a value of a client that could not be stored, because the schemas differ in type, or because the record requires a property that the
 * client need not send.
 *
 * @param needed - The parts of the value that must have every required property: all, the items of arrays (in a value that is merged, arrays
 *   are replaced), or none (the double fills in missing properties).
 * @returns The difference as a clause such as `tags[] is string in one and object in the other`. Undefined: none.
 */
export function findSchemaDifference(
  sent: JsonObject,
  stored: JsonObject,
  name: string,
  needed: NeededParts,
  seen: ReadonlySet<JsonObject> = new Set(),
): string | undefined {
  if (sent === stored || seen.has(sent)) return undefined
  if (differInType(sent, stored))
    return `${name} is ${declaredTypes(sent).join(' or ')} in one and ${declaredTypes(stored).join(' or ')} in the other`
  const inside = new Set([...seen, sent])
  const [sentItems, storedItems] = [itemsOf(sent), itemsOf(stored)]
  if (sentItems && storedItems)
    return findSchemaDifference(sentItems, storedItems, `${name}[]`, needed === 'items' ? 'everywhere' : needed, inside)
  const [sentObject, storedObject] = [objectSchema(sent), objectSchema(stored)]
  if (!sentObject || !storedObject || sentObject.properties.size === 0) return undefined
  for (const [key, property] of storedObject.properties) {
    const other = sentObject.properties.get(key)
    const path = `${name}.${key}`
    const isNeeded = storedObject.required.has(key) && !isMarked(property, 'writeOnly')
    if (needed === 'everywhere' && isNeeded && !sentObject.required.has(key))
      return `${path} is required in one and optional in the other`
    const difference = other && findSchemaDifference(other, property, path, needed, inside)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Tells whether two schemas have no type in common. Ignores null. An integer is a number. */
function differInType(one: JsonObject, other: JsonObject): boolean {
  const [ones, others] = [numbered(one), numbered(other)]
  return ones.length > 0 && others.length > 0 && !ones.some((type) => others.includes(type))
}

const numbered = (schema: JsonObject): readonly string[] =>
  declaredTypes(schema)
    .filter((type) => type !== 'null')
    .map((type) => (type === 'integer' ? 'number' : type))
