/** The record in the body of a request. */
import type { JsonObject } from '../../documents/object.js'
import type { ViewOperation } from '../contract-view.js'
import type { ResourceRequest } from '../handler.js'
import { jsonOf } from '../infer/media.js'
import { findRecordBody } from '../infer/record-body.js'
import { findDifference } from '../schema/compare.js'
import type { ObjectSchema } from '../schema/object-schema.js'
import { isMarked, objectSchema } from '../schema/object-schema.js'
import type { Draft } from './role.js'

/** What a request may say of a record. */
export interface RequestRecord {
  readonly schema: ObjectSchema
  /** Record properties that the request schema lacks or marks `readOnly`. */
  readonly serverOwned: ReadonlySet<string>
  /** Reads the record of a request. Undefined: the body holds none. */
  read(request: ResourceRequest): JsonObject | undefined
  /** What of a record in a request is stored. */
  storable(sent: JsonObject): JsonObject
}

/**
 * Fits the request body of an operation.
 *
 * @param isWhole - Whether the record is stored as it is sent, so that it must have what a record requires.
 * @returns Why it does not fit, as a clause.
 */
export function fitRequest(draft: Draft, operation: ViewOperation, isWhole: boolean): RequestRecord | string {
  const { model } = draft
  const { requestBody } = operation
  const json = requestBody && jsonOf(requestBody.content)
  if (!json) return 'it takes no JSON body'
  const isRecord = (schema: JsonObject): boolean =>
    [...(objectSchema(schema)?.properties.keys() ?? [])].some((name) => model.properties.has(name))
  const body = findRecordBody(json.schema, isRecord)
  const schema = body && objectSchema(body.schema)
  if (!body || !schema) return 'its request body shares no property with the record'
  for (const [name, property] of schema.properties) {
    const stored = model.properties.get(name)
    const difference = stored && !isMarked(property, 'readOnly') && findDifference(property, stored, name, isWhole)
    if (typeof difference === 'string') return `its request body differs from the record: ${difference}`
  }
  const serverOwned = new Set(
    [...model.properties.keys()].filter((name) => {
      const property = schema.properties.get(name)
      return !property || isMarked(property, 'readOnly')
    }),
  )
  const isStored = (name: string): boolean => {
    if (model.properties.has(name)) return !serverOwned.has(name)
    // Keys that begin with $ belong to the double, unless the contract names them.
    return !model.closed && (schema.properties.has(name) || !name.startsWith('$'))
  }
  return {
    schema,
    serverOwned,
    read: (request) => (request.body === undefined && !requestBody.required ? {} : body.fromBody(request.body)),
    storable: (sent) => Object.fromEntries(Object.entries(sent).filter(([name]) => isStored(name))),
  }
}

/** A query parameter that is required, and that nothing is done with. @returns Why the operation does not fit. */
export function findUnmetParameter(
  operation: ViewOperation,
  acts: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  const unmet = operation.parameters.find(
    ({ in: place, name, required }) => place === 'query' && required && !acts.has(name),
  )
  return unmet && `its query parameter ${unmet.name} is required, and no rule says what it does`
}
