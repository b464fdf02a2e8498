/** Replace: `PUT` of a record's path puts the body in the place of the record. What the server owns is kept. */
import type { ViewOperation } from '../contract-view.js'
import type { Handler } from '../handler.js'
import { findEntry } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { changeRecord, findIdMismatch, keepProperties, keptProperties } from './change.js'
import type { Filling } from './fill.js'
import { createFilling } from './fill.js'
import { fail, findRecord, idIn, keyOf } from './key.js'
import { addRecord } from './new-record.js'
import type { RequestRecord } from './request-record.js'
import { findUnmetParameter, fitRequest } from './request-record.js'
import type { RecordResponse } from './response-record.js'
import { fitResponse } from './response-record.js'
import type { Draft, Role } from './role.js'

/** Replaces a record. Creates one only if 201 is documented. */
export const replace: Role = {
  name: 'replace',
  place: 'item',
  methods: ['PUT'],
  fit: (draft, operation) => {
    const request = fitRequest(draft, operation, false)
    if (typeof request === 'string') return request
    if (!requiresAll(draft, request)) return null
    const whole = fitRequest(draft, operation, true)
    if (typeof whole === 'string') return whole
    const response = fitResponse(draft, operation, '200')
    if (typeof response === 'string') return response
    const unmet = findUnmetParameter(operation)
    if (unmet !== undefined) return unmet
    const creation = fitCreation(draft, operation, request)
    if (typeof creation === 'string') return creation
    const { filling, response: created } = creation ?? {}
    const kept = keptProperties(draft, request.serverOwned)

    const bind = (collection: string): Handler => {
      const place = { collection, draft }
      return (state, caller, sentRequest, context) => {
        const sent = request.read(sentRequest)
        if (!sent) return fail(place, 'invalid_record', { misfits: [{ path: [], message: 'must be an object' }] })
        const key = keyOf(place, sentRequest)
        const mismatch = findIdMismatch(place, sentRequest, sent)
        if (mismatch) return mismatch
        const own = request.storable(sent)
        const found = findRecord(place, state, caller, sentRequest)
        if (!('error' in found))
          return changeRecord(place, state, found, keepProperties(own, kept, found.record), response)
        const isTaken = findEntry(recordsOf(state, collection), key) !== undefined
        if (isTaken || !filling || !created) return found
        const id = sentRequest.path[draft.parameter.name]
        return addRecord(
          { place, state, request: sentRequest, caller, context, filling, response: created },
          own,
          typeof id === 'number' ? id : idIn(place, sentRequest),
          0,
        )
      }
    }
    return { filled: filling?.filled ?? [], bind }
  },
}

/** Whether a request must have every property that it shares with the record and the record requires. */
function requiresAll({ idProperty, model }: Draft, { schema, serverOwned }: RequestRecord): boolean {
  const shared = [...model.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name))
}

interface CreationFit {
  readonly filling: Filling
  readonly response: RecordResponse
}

function fitCreation(draft: Draft, operation: ViewOperation, request: RequestRecord): CreationFit | string | undefined {
  if (!operation.responses.some(({ status }) => status === '201')) return undefined
  const response = fitResponse(draft, operation, '201')
  if (typeof response === 'string') return response
  const { body } = response
  const filling = createFilling(draft, request, body && { operation, status: '201', fromBody: body.fromBody })
  return typeof filling === 'string' ? filling : { filling, response }
}
