/** Remove: `DELETE` of a record's path removes the record, for every caller. */
import { documentedResponse } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import { propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject } from '../../documents/object.js'
import { idOf } from '../infer/id-property.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { inWords, isSameName, singularsOf, wordsOf } from '../names.js'
import { removeEntry, withRemoved } from '../records/records.js'
import { recordsOf, withRecords } from '../records/state.js'
import { findMeant } from './action.js'
import { findRecord } from './find-record.js'
import { matchSuccessResponse, tell } from './match-success-response.js'
import type { Role } from './role.js'

const isFlag = /^(?:is_?)?(?:deleted|removed|success|ok)$/iu

/** The words of an operation after which a singleton is its example again. */
export const resets = /\b(?:reset|revert|restor)/iu

/** Removes a record. A documented body is the removed record if the schema shows it, else the example. */
export const remove: Role = {
  name: 'remove',
  methods: ['DELETE'],
  match: (model, operation) => {
    // Without an operationId, the id is the method and the path.
    const ownId = operation.id.includes(' ') ? '' : operation.id
    const [said = '', named = ''] = [operation.summary, ownId].map((each) => wordsOf(each)[0] ?? '')
    const verbs = [said, /^(?:archive|block|close|lock|pause|revoke|stop|suspend)$/u.test(named) ? named : '']
    // `revoked_at` of a key that is revoked.
    const isTimed = (each: string): boolean =>
      [...model.recordModel.properties.keys()].some((name) => new RegExp(`^${each}e?d at$`, 'u').test(inWords(name)))
    const isState = (each: string): boolean =>
      each !== '' && (findMeant(model, each, false) !== undefined || isTimed(each))
    const isPlain = [said, isState(said) ? '' : named].some((each) => /^(?:delete|remove|destroy)/u.test(each))
    const verb = isPlain ? undefined : verbs.find(isState)
    if (verb !== undefined) return `its name says that it is to ${verb}, which names a state of the record`
    if (
      /^(?:disable|deactivate)/u.test(said) ||
      /\b(?:is|are) not (?:deleted|removed)\b|\bmarks? (?:the |an? )?[\w ]+ as (?!deleted|removed)\w/iu.test(
        operation.text,
      )
    )
      return 'its text says that the record is not removed'
    const response = matchSuccessResponse(model, operation)
    const { json } = successResponseOf(operation)
    const things = singularsOf(lastLiteral(model.path))
    const idNames = ['id', ...things.flatMap((thing) => [thing, `${thing} id`, `${thing} name`])]
    /** Returns what a property of the response says of the removal. Undefined: nothing. */
    const told = (name: string, id: unknown, now: string): unknown => {
      if (isFlag.test(name)) return true
      if (!response.isExample) return undefined
      const words = inWords(name)
      if (/^deleted (?:at|on|time)$/u.test(words)) return now
      if (/^deleted (?:\w+ )*ids$/u.test(words)) return [id]
      return [...idNames, 'deleted id'].some((each) => isSameName(each, name)) ? id : undefined
    }
    const isReset = model.kind === 'singleton' && resets.test(operation.text)
    // Unless it is reset, an object can be removed once.
    const mayBeAbsent = !isReset && documentedResponse(operation, 404) !== undefined
    const properties = propertiesOf(json?.schema ?? {})
    const isTold = properties.size > 0 && [...properties.keys()].every((name) => told(name, '', '') !== undefined)
    return {
      filled: () => (isTold ? [] : response.filled()),
      handle: (handled) => {
        const { context, state, target } = handled
        const found = findRecord(handled, mayBeAbsent)
        if ('error' in found) return found
        const before = recordsOf(state, target.collection)
        // A singleton need not be stored.
        const removed = isReset ? before.removed : withRemoved(before.removed, [found])
        const records = { ...removeEntry(before, found.key), removed }
        const sent = response.respond(found.record)
        const own = (name: string): unknown => told(name, idOf(model, found.record), context.clock.now)
        const body = isObject(sent.body) ? deepFreeze(tell(sent.body, properties, own, response.isExample)) : sent.body
        return { ...sent, body, next: withRecords(state, target.collection, records) }
      },
    }
  },
}
