/** Replace: `PUT` of a record's path replaces the record by the body. Server-owned properties are kept. */
import { isMarked, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import type { PropertySchemas } from '../infer/id-property.js'
import { successResponseOf } from '../infer/success-response.js'
import { changedStatuses, matchChange } from './change-record.js'
import { createsAlone, isUpsert, matchMissing } from './create.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

const isReplaced =
  /\b(?:replac|overwrit)|\bfull(?:y)? updat|\bnot support partial|\bfull\b[^.]*\b(?:expected|required)\b/iu
const isOfOne = /\bby updating the\b/iu
const isPartial =
  /\bunchanged\b|\bany of [^.]* may be (?:given|provided|sent|supplied)\b|(?<!\b(?:for|not support) )\bpartial/iu

/** Replaces a record. Creates one only if 201 is documented, or its text says so. */
export const replace: Role = {
  name: 'replace',
  methods: ['PUT'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation)
    if (typeof request === 'string') return request
    const text = `${operation.text} ${successResponseOf(operation, ...changedStatuses).description}`
    if (/\bpath parameter\b[^.]*\bignored\b/iu.test(text))
      return 'its text says that the parameter of its path is ignored'
    const isWhole = isReplaced.test(text) || isUpsert.test(text) || (requiresOne(model, request) && !isOfOne.test(text))
    if (!isWhole || isPartial.test(text) || !requiresAll(model, request)) return null
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    const isTold = operation.responses.some(({ status }) => status === '201') || isUpsert.test(text)
    const mayCreate = isTold || createsAlone(model, operation)
    const missing = mayCreate ? matchMissing(model, operation, request) : undefined
    const change = (own: JsonObject, record: JsonObject): JsonObject =>
      withReadOnly({ ...request.defaults, ...own }, record, model.recordModel.properties)
    return matchChange(model, operation, { change, missing, isMerged: false, request, response })
  },
}

/** Keeps the read-only properties inside of the objects that a client replaces. */
function withReadOnly(sent: JsonObject, stored: JsonObject, properties: PropertySchemas): JsonObject {
  const inner = [...properties].flatMap(([name, schema]): readonly (readonly [string, unknown])[] => {
    const [one, other] = [sent[name], stored[name]]
    if (one === undefined) return isMarked(schema, 'readOnly') && other !== undefined ? [[name, other]] : []
    return isObject(one) && isObject(other) ? [[name, withReadOnly(one, other, propertiesOf(schema))]] : []
  })
  return inner.length === 0 ? sent : { ...sent, ...Object.fromEntries(inner) }
}

/** Tells whether a client must send a property of the record: not only what is no part of it. */
const requiresOne = ({ recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean =>
  [...schema.required].some((name) => recordModel.properties.has(name) && !serverOwned.has(name))

/** Tells whether a body has all that a client may set of what a record needs: it must send it, or it has a default. */
function requiresAll(
  { idProperty, recordModel }: CollectionModel,
  { defaults, schema, serverOwned }: RequestRecord,
): boolean {
  const shared = [...recordModel.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name) || Object.hasOwn(defaults, name))
}
