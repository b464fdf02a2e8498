/** Remove: `DELETE` of a record's path removes the record, for every caller. */
import { removeEntry } from '../records/records.js'
import { recordsOf, withRecords } from '../records/state.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

/** Removes a record. A documented body is the removed record if the schema shows it, else the example. */
export const remove: Role = {
  name: 'remove',
  methods: ['DELETE'],
  match: (model, operation) => {
    const response = matchSuccessResponse(model, operation)
    return {
      createHandler: (collection) => (state, caller, request) => {
        const found = findRecord({ collection, model }, state, caller, request)
        if ('error' in found) return found
        const records = removeEntry(recordsOf(state, collection), found.key)
        return { ...response.respond(found.record), next: withRecords(state, collection, records) }
      },
    }
  },
}
