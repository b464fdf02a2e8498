/** Remove: `DELETE` of a record's path removes the record, for every caller. */
import { literalSegments } from '../../contract/path-template.js'
import { hasAllowedType, objectSchema, scalarType } from '../../contract/schemas/read-schema.js'
import { isObject } from '../../documents/object.js'
import { idOf } from '../infer/id-property.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { isSameName, singularsOf, wordsOf } from '../names.js'
import { removeEntry, withRemoved } from '../records/records.js'
import { recordsOf, withRecords } from '../records/state.js'
import { findMeant } from './action.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

/** The flag of a response to a removal that says that it was done. */
const isFlag = /^(?:is_?)?(?:deleted|removed)$/iu

/** The words of an operation after which a singleton is its example again. */
const resets = /\b(?:reset|revert|restor)/iu

/** Removes a record. A documented body is the removed record if the schema shows it, else the example. */
export const remove: Role = {
  name: 'remove',
  methods: ['DELETE'],
  match: (model, operation) => {
    const [verb = ''] = wordsOf(operation.summary)
    if (!/^(?:$|delete|remove|destroy)/u.test(verb) && findMeant(model, verb, false))
      return `its summary says that it is to ${verb}, which names a state of the record`
    if (/^(?:disable|deactivate)/u.test(verb) || /\b(?:is|are) not (?:deleted|removed)\b/iu.test(operation.text))
      return 'its text says that the record is not removed'
    const response = matchSuccessResponse(model, operation)
    const { json } = successResponseOf(operation)
    const shown = json && objectSchema(json.schema)?.properties
    const flags = [...(shown ?? [])].filter(([name, schema]) => isFlag.test(name) && scalarType(schema) === 'boolean')
    const things = singularsOf(literalSegments(model.path).at(-1) ?? '')
    const idNames = ['id', ...things.flatMap((thing) => [thing, `${thing} id`, `${thing} name`])]
    const named = [...(response.isExample ? (shown ?? []) : [])].filter(([name]) =>
      idNames.some((each) => isSameName(each, name)),
    )
    const done = Object.fromEntries(flags.map(([name]) => [name, true]))
    return {
      createHandler: (target) => (state, caller, request) => {
        const found = findRecord(target, state, caller, request)
        if ('error' in found) return found
        const before = recordsOf(state, target.collection)
        const isReset = model.kind === 'singleton' && resets.test(operation.text)
        // A singleton need not be stored.
        const removed = isReset ? before.removed : withRemoved(before.removed, [found])
        const records = { ...removeEntry(before, found.key), removed }
        const sent = response.respond(found.record)
        const id = idOf(model, found.record)
        const ids = named.filter(([, schema]) => hasAllowedType(schema, id)).map(([name]) => [name, id] as const)
        const told = { ...done, ...Object.fromEntries(ids) }
        const body =
          isObject(sent.body) && Object.keys(told).length > 0 ? deepFreeze({ ...sent.body, ...told }) : sent.body
        return { ...sent, body, next: withRecords(state, target.collection, records) }
      },
    }
  },
}
