import { findRecord } from './key.js'
/** Read: `GET` of a record's path returns the record. */
import { findUnmetParameter } from './request-record.js'
import { fitResponse } from './response-record.js'
import type { Role } from './role.js'

/** Returns a record. */
export const read: Role = {
  name: 'read',
  place: 'item',
  methods: ['GET'],
  fit: (draft, operation) => {
    const response = fitResponse(draft, operation, '200')
    if (typeof response === 'string') return response
    if (!response.body) return 'its success response has no body'
    const unmet = findUnmetParameter(operation)
    if (unmet !== undefined) return unmet
    return {
      bind: (collection) => (state, caller, request) => {
        const found = findRecord({ collection, draft }, state, caller, request)
        return 'error' in found ? found : response.respond(found.record)
      },
    }
  },
}
