/** Matches the success response of an operation with the record, and shows the record in it. */
import type { Operation } from '../../contract/contract.js'
import { objectSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { findRecordBody, type RecordBody } from '../infer/record-body.js'
import { createProjection, holdsValueOf, namesToFill } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import type { ResourceResponse } from './role.js'

/** A success response that shows a record, has no body, or is the example. */
export interface RecordResponse {
  /** The status in the spec. */
  readonly documented: string | undefined
  readonly hasLocation: boolean
  /** Undefined: the body shows no record, or there is none. */
  readonly body: RecordBody | undefined
  /** True if the body is that of the example. */
  readonly isExample: boolean
  /** Properties that come from the example. `the response`: all of it. */
  readonly filled: readonly string[]
  respond(record: JsonObject, headers?: Readonly<Record<string, string>>): ResourceResponse
}

/** Matches the success response of an operation with the record. A body that does not show a record is that of the example. @param preferred - Statuses in order, as for `successResponseOf`. */
export function matchSuccessResponse(
  model: CollectionModel,
  operation: Operation,
  ...preferred: readonly string[]
): RecordResponse {
  const success = successResponseOf(operation, ...preferred)
  const { documented, hasBody, hasLocation, json, status } = success
  const example = (): unknown => model.contract.example(operation, documented)
  const respondWith = (record: JsonObject, body: unknown, own: ResourceResponse['headers'] = {}): ResourceResponse => ({
    status,
    record,
    headers: { ...success.headers, ...own },
    mediaType: body === undefined ? undefined : json?.mediaType,
    body: deepFreeze(body),
  })
  const body = json && findRecordBody(json.schema, (schema) => fitOf(model, schema))
  if (!json || !body) {
    const isEmpty = json && isEmptyObject(json.schema)
    const filled = !hasBody || isEmpty ? [] : ['the response']
    const make = (): unknown => (isEmpty ? {} : json && example())
    const respond: RecordResponse['respond'] = (record, headers) => respondWith(record, make(), headers)
    return { documented, hasLocation, body: undefined, isExample: filled.length > 0, filled, respond }
  }
  const project = createProjection(model, body.schema, () => body.fromBody(example()))
  return {
    documented,
    hasLocation,
    body,
    isExample: false,
    filled: [...body.others, ...namesToFill(model, body.schema)],
    respond: (record, headers) => respondWith(record, body.toBody(project(record), objectOf(example())), headers),
  }
}

/** Tells whether a schema allows only the object without properties. */
function isEmptyObject(schema: JsonObject): boolean {
  const { closed, properties, required } = objectSchema(schema) ?? {}
  return closed === true && properties?.size === 0 && required?.size === 0
}

/** Counts the properties that a schema shares with the record. 0: it has neither the id nor half of its properties in common. */
function fitOf({ idProperty, recordModel }: CollectionModel, schema: JsonObject): number {
  if (recordModel.schemas.includes(schema)) return Infinity
  const properties = [...propertiesOf(schema)]
  const shared = properties.filter(
    ([name, property]) => recordModel.properties.has(name) && holdsValueOf(recordModel.properties, name, property),
  )
  const isRecord = shared.some(([name]) => name === idProperty) || shared.length * 2 >= properties.length
  return isRecord ? shared.length : 0
}
