/** Creates the model of a record: the union of the read response and the items of the listing. */
import type { Contract, ValidationError } from '../../contract/contract.js'
import type { ObjectSchema } from '../../contract/schemas/read-schema.js'
import { isMarked, objectSchema, itemsOf } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { recordKeys } from '../document/write-record.js'
import { deepFreeze } from '../freeze-compare-and-merge-json.js'
import { findSchemaDifference } from './find-schema-difference.js'

/** The model of a record. */
export interface RecordModel {
  /** The schemas of the read response and of the listing's items, in this order. */
  readonly schemas: readonly JsonObject[]
  /** Property schemas by name. */
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
  return {
    schemas,
    properties,
    required,
    closed: objects.every((part) => part.closed),
    requestOnly: new Set(requestOnly),
  }
}

/** Validates a stored record. Paths are relative to the record. */
export function checkRecord(
  contract: Contract,
  recordModel: RecordModel,
  record: JsonObject,
): readonly ValidationError[] {
  for (const part of recordModel.schemas) {
    const validationErrors = checkStored(contract, part, select(record, choiceOf(recordModel, part, true)))
    if (validationErrors.length > 0) return validationErrors
  }
  return []
}

/** Validates a stored value. Properties that only requests must have may be missing. */
export const checkStored = (contract: Contract, schema: JsonObject, value: unknown): readonly ValidationError[] =>
  contract.validate(stored(schema), value)

const storedSchemas = new WeakMap<JsonObject, JsonObject>()

/** Returns the schema of a stored part. It is always the same object, so a contract compiles it once. */
function stored(part: JsonObject): JsonObject {
  const known = storedSchemas.get(part) ?? storedSchema(part)
  storedSchemas.set(part, known)
  return known
}

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
function storedSchema(schema: JsonObject): JsonObject {
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
    for (const [key, inner] of Object.entries(from))
      Object.defineProperty(into, key, { value: copy(inner), enumerable: true, writable: true, configurable: true })
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
