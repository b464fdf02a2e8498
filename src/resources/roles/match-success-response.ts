/** Matches the success response of an operation with the record, and shows the record in it. */
import type { ValidationError, Operation } from '../../contract/contract.js'
import { isMarked, objectSchema } from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { countShared, findRecordBody, type RecordBody } from '../infer/record-body.js'
import { findSchemaDifference, checkStored, createProjection } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import type { ResourceResponse } from './role.js'

/** A success response that shows a record, or has no body. */
export interface RecordResponse {
  /** The status in the spec. */
  readonly documented: string | undefined
  readonly hasLocation: boolean
  /** Undefined: the body shows no record, or there is none. */
  readonly body: RecordBody | undefined
  /** Properties next to the record that come from the example. */
  readonly filled: readonly string[]
  respond(record: JsonObject, headers?: Readonly<Record<string, string>>): ResourceResponse
  /** Validates the part of a record that the response would show. */
  check(record: JsonObject): readonly ValidationError[]
}

/**
 * Matches the success response of an operation with the record: no body, an object without properties, or one that can be built from every record.
 * @param preferred - Statuses in order, as for `successResponseOf`. @returns The reason why it does not fit, as a clause.
 */
export function matchSuccessResponse(
  model: CollectionModel,
  operation: Operation,
  ...preferred: readonly string[]
): RecordResponse | string {
  const success = successResponseOf(operation, ...preferred)
  const { documented, hasBody, hasLocation, json, status } = success
  const respondWith = (record: JsonObject, body: unknown, own: ResourceResponse['headers'] = {}): ResourceResponse => ({
    status,
    record,
    headers: { ...success.headers, ...own },
    mediaType: json?.mediaType,
    body: deepFreeze(body),
  })
  if (!hasBody || (json && isEmptyObject(json.schema))) {
    const respond: RecordResponse['respond'] = (record, headers) => respondWith(record, json && {}, headers)
    return { documented, hasLocation, body: undefined, filled: [], respond, check: () => [] }
  }
  if (!json) return 'its success response has no JSON body'
  const body = findRecordBody(json.schema, (schema) =>
    findMismatch(model, schema) === undefined ? countShared(schema, model.recordModel.properties) : 0,
  )
  if (!body) return findMismatch(model, json.schema) ?? 'its success response does not show a record'
  const others = documented === undefined ? {} : othersIn(model, operation, documented, body.others)
  if (typeof others === 'string') return others
  const project = createProjection(model.recordModel, body.schema)
  const isWhole = model.recordModel.schemas.includes(body.schema)
  return {
    documented,
    hasLocation,
    body,
    filled: body.others,
    respond: (record, headers) => respondWith(record, body.toBody(project(record), others), headers),
    check: (record) => (isWhole ? [] : checkStored(model.contract, body.schema, project(record))),
  }
}

/** Finds the values of required properties next to the record. @returns The reason why they are not known, as a clause. */
function othersIn(
  { contract }: CollectionModel,
  operation: Operation,
  status: string,
  names: readonly string[],
): JsonObject | string {
  if (names.length === 0) return {}
  const example = contract.example(operation, status)
  const values = objectOf(example)
  const missing = names.find((name) => !Object.hasOwn(values, name))
  if (missing !== undefined) return `its success response requires ${missing}, and its value is not known`
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

/** Tells whether a schema allows only the object without properties. */
function isEmptyObject(schema: JsonObject): boolean {
  const { closed, properties, required } = objectSchema(schema) ?? {}
  return closed === true && properties?.size === 0 && required?.size === 0
}

/** Returns the reason why a schema cannot show every record, as a clause. */
function findMismatch({ idProperty, recordModel }: CollectionModel, schema: JsonObject): string | undefined {
  const shown = objectSchema(schema)
  if (!shown) return 'its success response is not an object'
  let shared = 0
  for (const [name, property] of shown.properties) {
    const stored = recordModel.properties.get(name)
    if (stored) shared += 1
    const isSent = !isMarked(property, 'writeOnly')
    if (isSent && shown.required.has(name) && !stored)
      return `its success response requires ${name}, which is not a property of the record`
    if (isSent && shown.required.has(name) && name !== idProperty && !recordModel.required.has(name))
      return `its success response requires ${name}, which a record may lack`
    const difference = stored && findSchemaDifference(property, stored, name, 'items')
    if (difference !== undefined) return `its success response differs from the record: ${difference}`
  }
  for (const name of shown.required)
    if (!shown.properties.has(name) && name !== idProperty && !recordModel.required.has(name))
      return `its success response requires ${name}, which a record may lack`
  return shared > 0 ? undefined : 'its success response shares no property with the record'
}
