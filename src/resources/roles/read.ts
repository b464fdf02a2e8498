/** Read: `GET` of a record's path returns the record. */
import { documentedResponse } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import { once, onceForObject } from '../../once.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { findFields } from '../query/fields.js'
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
    const respond = onceForObject((record: JsonObject) => deepFreeze(response.respond(record)))
    const fields = findFields(operation, response.body.schema)
    const { headers, json, status } = successResponseOf(operation, '200')
    // What a removed singleton is: the documented 404, an empty object, null, else the example.
    const isUnknown = documentedResponse(operation, 404) !== undefined
    const empty = once(() =>
      isUnknown || !json
        ? undefined
        : [Object.freeze({}), null].find((none) => model.contract.validate(json.schema, none).length === 0),
    )
    return {
      ...(fields && { effects: fields.effects }),
      filled: () => response.filled(),
      leftOut: () => response.leftOut(),
      handle: (handled) => {
        const isSingleton = model.kind === 'singleton'
        const found = findRecord(handled, isUnknown || (isSingleton && empty() !== undefined))
        const show = fields?.asked(handled.request)
        if (!('error' in found)) return show ? response.respond(found.record, {}, show) : respond(found.record)
        if (!isSingleton || isUnknown) return found
        return { status, headers, mediaType: json?.mediaType, body: empty() }
      },
    }
  },
}
