/** Update: `PATCH`, or a `PUT` that is no replacement, merges the body into the record. What the server owns is kept. */
import { isObject } from '../../documents/object.js'
import { merge } from '../json.js'
import { changeRecord, findIdMismatch, keepProperties, keptProperties } from './change.js'
import { fail, findRecord } from './key.js'
import { findUnmetParameter, fitRequest } from './request-record.js'
import { fitResponse } from './response-record.js'
import type { Role } from './role.js'

const mergePatch = 'application/merge-patch+json'

/** Updates a record. */
export const update: Role = {
  name: 'update',
  place: 'item',
  methods: ['PATCH', 'PUT'],
  fit: (draft, operation) => {
    const request = fitRequest(draft, operation, false)
    if (typeof request === 'string') return request
    const response = fitResponse(draft, operation, '200')
    if (typeof response === 'string') return response
    const unmet = findUnmetParameter(operation)
    if (unmet !== undefined) return unmet
    const onlyMergePatch = operation.requestBody?.content.size === 1 && operation.requestBody.content.has(mergePatch)
    const kept = keptProperties(draft, request.serverOwned)
    return {
      bind: (collection) => (state, caller, sentRequest) => {
        const place = { collection, draft }
        const sent = request.read(sentRequest)
        if (!sent) return fail(place, 'invalid_record', { misfits: [{ path: [], message: 'must be an object' }] })
        const mismatch = findIdMismatch(place, sentRequest, sent)
        if (mismatch) return mismatch
        const found = findRecord(place, state, caller, sentRequest)
        if ('error' in found) return found
        const isMergePatch = (sentRequest.mediaType ?? (onlyMergePatch ? mergePatch : '')).toLowerCase() === mergePatch
        const merged = merge(found.record, request.storable(sent), isMergePatch)
        const changed = keepProperties(isObject(merged) ? merged : {}, kept, found.record)
        return changeRecord(place, state, found, changed, response)
      },
    }
  },
}
