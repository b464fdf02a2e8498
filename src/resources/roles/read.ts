/** Read: `GET` of a record's path returns the record. */
import { documentedResponse } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import { onceFor } from '../../once.js'
import { deepFreeze } from '../json.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

export const read: Role = {
  name: 'read',
  methods: ['GET'],
  match: (model, operation) => {
    const response = matchSuccessResponse(model, operation, '200')
    if (!response.body) return 'its success response does not show a record'
    // A record is immutable, so its response is, too.
    const respond = onceFor((record: JsonObject) => deepFreeze(response.respond(record)), new WeakMap())
    const mayBeAbsent = documentedResponse(operation, 404) !== undefined
    return {
      filled: () => response.filled,
      createHandler: (target) => (state, caller, request) => {
        const found = findRecord(target, state, caller, request, mayBeAbsent)
        return 'error' in found ? found : respond(found.record)
      },
    }
  },
}
