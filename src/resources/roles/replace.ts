/** Replace: `PUT` of a record's path replaces the record by the body. Server-owned properties are kept. */
import { filterProperties, type JsonObject, objectOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { findEntry } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { changedStatuses, matchChange } from './change-record.js'
import { createRecord, isUpsert, matchCreation } from './create.js'
import { idIn, keyOf } from './find-record.js'
import { creationTimes, isNamed } from './fresh-values.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { HandledRequest, Role, RoleOutcome } from './role.js'

const isReplaced = /\b(?:replac|overwrit)|\bfull(?:y)? updat|\bnot support partial/iu
const isOfOne = /\bby updating the\b/iu
const isPartial =
  /\bunchanged\b|\bany of [^.]* may be (?:given|provided|sent|supplied)\b|(?<!\bnot support )\bpartial/iu

/** Replaces a record. Creates one only if 201 is documented, or its text says so. */
export const replace: Role = {
  name: 'replace',
  methods: ['PUT'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation)
    if (typeof request === 'string') return request
    const text = `${operation.text} ${successResponseOf(operation, ...changedStatuses).description}`
    const isWhole = isReplaced.test(text) || isUpsert.test(text) || (requiresOne(model, request) && !isOfOne.test(text))
    if (!isWhole || isPartial.test(text) || !requiresAll(model, request)) return null
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    const mayCreate = operation.responses.some(({ status }) => status === '201') || isUpsert.test(text)
    const creation = mayCreate ? matchCreation(model, operation, request) : undefined
    const create = (own: JsonObject, handled: HandledRequest): RoleOutcome | undefined => {
      const { request: sentRequest, state, target } = handled
      const isTaken = findEntry(recordsOf(state, target.collection), keyOf(target, sentRequest)) !== undefined
      if (isTaken || !creation) return undefined
      const named = sentRequest.path[model.parameter?.name ?? '']
      return createRecord(creation, handled, own, typeof named === 'number' ? named : idIn(target, sentRequest), 0)
    }
    const change = (own: JsonObject, record: JsonObject): JsonObject => {
      const created = filterProperties(record, (_value, name) => isNamed(name, creationTimes))
      return { ...objectOf(created), ...request.defaults, ...own }
    }
    const match = matchChange(model, operation, { change, create, isMerged: false, request, response })
    return { ...match, filled: () => [...response.filled(), ...(creation?.filling.filled() ?? [])] }
  },
}

/** Tells whether a client must send a property of the record: not only what is no part of it. */
const requiresOne = ({ recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean =>
  [...schema.required].some((name) => recordModel.properties.has(name) && !serverOwned.has(name))

function requiresAll({ idProperty, recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean {
  const shared = [...recordModel.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name))
}
