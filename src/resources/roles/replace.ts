/** Replace: `PUT` of a record's path puts the body in the place of the record. What the server owns is kept. */
import type { ViewOperation } from '../contract-view.js'
import type { Handler } from '../handler-types.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { findEntry } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { addRecord } from './add-record.js'
import { changeRecord, findIdMismatch, keepProperties, keptProperties } from './change-record.js'
import { fail, findRecord, idIn, keyOf } from './find-record.js'
import type { RequestRecord } from './request-record.js'
import { matchRequest } from './request-record.js'
import type { RecordResponse } from './response-record.js'
import { matchResponse } from './response-record.js'
import type { Role } from './role.js'
import type { Filling } from './server-owned.js'
import { createFilling } from './server-owned.js'

/** Replaces a record. Creates one only if 201 is documented. */
export const replace: Role = {
  name: 'replace',
  place: 'item',
  methods: ['PUT'],
  match: (model, operation) => {
    const request = matchRequest(model, operation, false)
    if (typeof request === 'string') return request
    if (!requiresAll(model, request)) return null
    const whole = matchRequest(model, operation, true)
    if (typeof whole === 'string') return whole
    const response = matchResponse(model, operation, '200')
    if (typeof response === 'string') return response
    const creation = matchCreation(model, operation, request)
    if (typeof creation === 'string') return creation
    const { filling, response: created } = creation ?? {}
    const kept = keptProperties(model, request.serverOwned)

    const createHandler = (collection: string): Handler => {
      const target = { collection, model }
      return (state, caller, sentRequest, context) => {
        const sent = request.read(sentRequest)
        if (!sent)
          return fail(target, 'invalid_record', { validationErrors: [{ path: [], message: 'must be an object' }] })
        const key = keyOf(target, sentRequest)
        const mismatch = findIdMismatch(target, sentRequest, sent)
        if (mismatch) return mismatch
        const own = request.storable(sent)
        const found = findRecord(target, state, caller, sentRequest)
        if (!('error' in found))
          return changeRecord(target, state, found, keepProperties(own, kept, found.record), response)
        const isTaken = findEntry(recordsOf(state, collection), key) !== undefined
        if (isTaken || !filling || !created) return found
        const id = sentRequest.path[model.parameter.name]
        return addRecord(
          { target, state, request: sentRequest, caller, context, filling, response: created },
          own,
          typeof id === 'number' ? id : idIn(target, sentRequest),
          0,
        )
      }
    }
    return { filled: filling?.filled ?? [], createHandler }
  },
}

/** Tells whether a request must have every property that it shares with the record and the record requires. */
function requiresAll({ idProperty, recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean {
  const shared = [...recordModel.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name))
}

interface CreationMatch {
  readonly filling: Filling
  readonly response: RecordResponse
}

function matchCreation(
  model: CollectionModel,
  operation: ViewOperation,
  request: RequestRecord,
): CreationMatch | string | undefined {
  if (!operation.responses.some(({ status }) => status === '201')) return undefined
  const response = matchResponse(model, operation, '201')
  if (typeof response === 'string') return response
  const { body } = response
  const filling = createFilling(model, request, body && { operation, status: '201', fromBody: body.fromBody })
  return typeof filling === 'string' ? filling : { filling, response }
}
