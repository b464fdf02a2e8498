/** Creates the model of a record: the union of the read response and the items of the listing. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView, ValidationError } from '../contract-view.js'
import { recordKeys } from '../document/write-record.js'
import { deepFreeze } from '../freeze-compare-and-merge-json.js'
import { findSchemaDifference } from '../schema/find-schema-difference.js'
import type { ObjectSchema } from '../schema/object-schema.js'
import { isMarked, objectSchema } from '../schema/object-schema.js'
import { hasWriteOnly, storedSchema, withoutWriteOnly } from '../schema/write-only.js'

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
  contract: ContractView,
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
export const checkStored = (contract: ContractView, schema: JsonObject, value: unknown): readonly ValidationError[] =>
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
