/** Remove: `DELETE` of a record's path removes the record, for every caller. */
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { type Entry, removeEntry } from '../records/records.js'
import { recordsOf, withRecords } from '../records/state.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { ResourceResponse, Role } from './role.js'

/** Removes a record. A documented body is the removed record if the schema shows it, else the example. */
export const remove: Role = {
  name: 'remove',
  methods: ['DELETE'],
  match: (model, operation) => {
    const response = matchSuccessResponse(model, operation)
    const success = successResponseOf(operation)
    const respond = ({ record }: Entry): ResourceResponse => {
      if (typeof response !== 'string' && response.check(record).length === 0) return response.respond(record)
      const { documented, headers, json, status } = success
      const body = documented === undefined ? undefined : model.contract.example(operation, documented)
      return { status, headers, mediaType: body === undefined ? undefined : json?.mediaType, body: deepFreeze(body) }
    }
    return {
      createHandler: (collection) => (state, caller, request) => {
        const found = findRecord({ collection, model }, state, caller, request)
        if ('error' in found) return found
        const records = removeEntry(recordsOf(state, collection), found.key)
        return { ...respond(found), next: withRecords(state, collection, records) }
      },
    }
  },
}
