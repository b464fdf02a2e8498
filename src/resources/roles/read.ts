/** Read: `GET` of a record's path returns the record. */
import { documentedResponse } from '../../contract/contract.js'
import { allowedValues, isChoice } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { once, onceForObject } from '../../once.js'
import { pathParameter } from '../infer/place-parameters.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { findFields } from '../query/fields.js'
import { findEntry, findRemoved } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { HandledRequest, Role } from './role.js'

/** Words that name a record by what the double does not know. */
const choosingWord = /^(?:latest|newest|oldest|first|last|current|recommended)$/iu

export const read: Role = {
  name: 'read',
  methods: ['GET'],
  match: (model, operation) => {
    const response = matchSuccessResponse(model, operation, '200')
    if (/^\W*(?:start|trigger|run|execute|invoke|launch)s? an?\b/iu.test(operation.text))
      return 'its text says that it starts something'
    if (!response.body) return 'its success response does not show a record'
    const words = allowedValues(pathParameter(operation, model.parameter?.name ?? '')?.schema ?? {}).map(String)
    if (words.length > 0 && words.every((word) => choosingWord.test(word)))
      return `its path has no id, but ${words.join(' or ')}`
    // A record is immutable, so its response is, too.
    const respond = onceForObject((record: JsonObject) => deepFreeze(response.respond(record)))
    // A removed singleton is unknown, if 404 is documented; else it is the empty object that its schema allows next to it, or its example again.
    const mayBeAbsent = documentedResponse(operation, 404) !== undefined
    const mayBeEmpty = once(() => {
      const { schema = {} } = successResponseOf(operation, '200').json ?? {}
      return isChoice(schema) && model.contract.validate(schema, {}).length === 0
    })
    const isEmptied = ({ state, target }: HandledRequest, key: string): boolean => {
      if (model.kind !== 'singleton') return false
      const records = recordsOf(state, target.collection)
      return findRemoved(records, key) !== undefined && findEntry(records, key) === undefined && mayBeEmpty()
    }
    const fields = findFields(operation, response.body.schema)
    return {
      ...(fields && { effects: fields.effects }),
      filled: () => response.filled(),
      leftOut: () => response.leftOut(),
      handle: (handled) => {
        const found = findRecord(handled, mayBeAbsent)
        if ('error' in found) return found
        if (isEmptied(handled, found.key)) return { ...respond(found.record), body: {} }
        const show = fields?.asked(handled.request)
        return show ? response.respond(found.record, {}, show) : respond(found.record)
      },
    }
  },
}
