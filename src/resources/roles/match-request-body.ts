/** Matches the request body of an operation with the record, and reads the record in it. */
import type { Operation } from '../../contract/contract.js'
import { isMarked, type ObjectSchema, objectSchema } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { countShared, findRecordBody } from '../infer/record-body.js'
import { findSchemaDifference, type NeededParts } from '../infer/record-model.js'
import { jsonContentOf } from '../infer/success-response.js'
import type { ResourceRequest } from './role.js'

export interface RequestRecord {
  readonly schema: ObjectSchema
  /** Record properties that the request schema lacks or marks `readOnly`. */
  readonly serverOwned: ReadonlySet<string>
  /** Reads the record of a request: an empty one if the contract allows to leave it out. Undefined: the body contains none. */
  read(request: ResourceRequest): JsonObject | undefined
  /** Returns the properties of a sent record that are stored. */
  storable(sent: JsonObject): JsonObject
}

/** Matches the request body of an operation with the record. @returns The reason why it does not fit, as a clause. */
export function matchRequestBody(
  model: CollectionModel,
  operation: Operation,
  needed: NeededParts,
): RequestRecord | string {
  const { recordModel } = model
  const { requestBody } = operation
  const json = requestBody && jsonContentOf(requestBody.contents)
  if (!json) return 'it takes no JSON body'
  const body = findRecordBody(json.schema, (each) => countShared(each, recordModel.properties))
  const schema = body && objectSchema(body.schema)
  if (!body || !schema) return 'its request body shares no property with the record'
  for (const [name, property] of schema.properties) {
    const stored = recordModel.properties.get(name)
    const difference = stored && !isMarked(property, 'readOnly') && findSchemaDifference(property, stored, name, needed)
    if (typeof difference === 'string') return `its request body differs from the record: ${difference}`
  }
  const serverOwned = new Set(
    [...recordModel.properties.keys()].filter((name) => {
      const property = schema.properties.get(name)
      return !property || isMarked(property, 'readOnly')
    }),
  )
  const isStored = (name: string): boolean => {
    if (recordModel.properties.has(name)) return !serverOwned.has(name)
    // Keys that begin with $ belong to the double, unless the contract names them.
    return !recordModel.closed && (schema.properties.has(name) || !name.startsWith('$'))
  }
  const { optional } = body
  const isLeftOut = (sent: unknown): boolean =>
    sent === undefined
      ? !requestBody.required
      : optional !== undefined && isObject(sent) && !Object.hasOwn(sent, optional)
  return {
    schema,
    serverOwned,
    read: ({ body: sent }) => (isLeftOut(sent) ? {} : body.fromBody(sent)),
    storable: (sent) => Object.fromEntries(Object.entries(sent).filter(([name]) => isStored(name))),
  }
}
