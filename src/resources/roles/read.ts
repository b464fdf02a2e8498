/** Read: `GET` of a record's path returns the record. */
import { documentedResponse } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import { once, onceFor } from '../../once.js'
import { successResponseOf } from '../infer/success-response.js'
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
    const { headers, json, status } = successResponseOf(operation, '200')
    // What a removed singleton is: the documented 404, an empty object, null, else the example.
    const isUnknown = documentedResponse(operation, 404) !== undefined
    const empty = once(() =>
      isUnknown || !json
        ? undefined
        : [Object.freeze({}), null].find((none) => model.contract.validate(json.schema, none).length === 0),
    )
    return {
      filled: () => response.filled(),
      handle: (handled) => {
        const isSingleton = model.kind === 'singleton'
        const found = findRecord(handled, isUnknown || (isSingleton && empty() !== undefined))
        if (!('error' in found)) return respond(found.record)
        if (!isSingleton || isUnknown) return found
        return { status, headers, mediaType: json?.mediaType, body: empty() }
      },
    }
  },
}
