/** Changes a record: the common part of replace and update. */
import type { Operation } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { checkRecord } from '../infer/record-model.js'
import { deepFreeze, isEqual } from '../json.js'
import { operationOverrideOf } from '../read-overrides.js'
import { type Entry, replaceEntry } from '../records/records.js'
import { recordsOf, type State, withRecords } from '../records/state.js'
import { exampleOf } from './complete-value.js'
import { fail, idIn, type Target } from './find-record.js'
import { timeOfChange } from './fresh-values.js'
import type { RequestRecord } from './match-request-body.js'
import type { RecordResponse } from './match-success-response.js'
import type { RoleOutcome, ResourceRequest } from './role.js'

/** The success statuses of a change, the preferred one first. 201 is for a creation. */
export const changedStatuses = ['200', '204'] as const

/** Changes a record, if the result is valid by its schema. */
export function changeRecord(
  target: Target,
  state: State,
  entry: Entry,
  changed: JsonObject,
  response: RecordResponse,
): RoleOutcome {
  const { collection, model } = target
  if (isEqual(entry.record, changed)) return response.respond(entry.record)
  const record = deepFreeze(changed)
  const validationErrors = [...checkRecord(model.contract, model.recordModel, record), ...response.check(record)]
  if (validationErrors.length > 0) return fail(target, 'invalid_record', { id: entry.key, validationErrors })
  const records = replaceEntry(recordsOf(state, collection), entry.key, { record })
  return { ...response.respond(record), next: withRecords(state, collection, records) }
}

/** Creates the error of a body that has another id than the path. @returns Undefined if the ids agree. */
export function findIdMismatch(target: Target, request: ResourceRequest, sent: JsonObject): RoleOutcome | undefined {
  const { idProperty } = target.model
  const id = idIn(target, request)
  const isOther = Object.hasOwn(sent, idProperty) && String(sent[idProperty]) !== id
  return isOther ? fail(target, 'id_mismatch', { id }) : undefined
}

/** Creates the part of a change that a client cannot make: it keeps the server-owned properties, the id and the parents, and sets times of change. */
export function createServerChange(model: CollectionModel, operation: Operation, { serverOwned }: RequestRecord) {
  const { idProperty, parents, recordModel, shown } = model
  const kept = new Set([...serverOwned, idProperty, ...parents.flatMap(({ property }) => property ?? [])])
  const timed = operationOverrideOf(operation).off.has('updated') ? [] : [...serverOwned]
  const times = timed.flatMap((name) => {
    const make = timeOfChange(name, recordModel.properties.get(name) ?? {}, () => exampleOf(model, shown, name))
    return make ? [[name, make] as const] : []
  })
  return {
    httpEffects: times.length > 0 ? (['updated'] as const) : [],
    /** Properties that the other record lacks are removed. */
    apply: (record: JsonObject, from: JsonObject, now: string): JsonObject => {
      const own = Object.entries(record).filter(([name]) => !kept.has(name))
      const old = [...kept].flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]] as const] : []))
      return Object.fromEntries([...old, ...own, ...times.map(([name, make]) => [name, make(now)] as const)])
    },
  }
}
