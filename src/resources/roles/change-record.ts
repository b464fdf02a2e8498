/** Changes a record: the common part of replace and update. */
import type { Operation } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf } from '../infer/id-property.js'
import { entryKey } from '../infer/parents.js'
import { fitRecord, isErrors, lostIn } from '../infer/record-model.js'
import { deepFreeze, isEqual } from '../json.js'
import { operationOverrideOf } from '../read-overrides.js'
import { type Entry, putEntry } from '../records/records.js'
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
  const fitted = fitRecord(model, changed, entry.record)
  if (isErrors(fitted)) return fail(target, 'invalid_record', { id: entry.key, validationErrors: fitted })
  const record = deepFreeze(fitted)
  const records = putEntry(recordsOf(state, collection), { ...entry, record })
  return {
    ...response.respond(record),
    notStored: lostIn(fitted, changed),
    next: withRecords(state, collection, records),
  }
}

/** Creates the error of a body that has another id than the path. @returns Undefined if the ids agree. */
export function findIdMismatch(target: Target, request: ResourceRequest, sent: JsonObject): RoleOutcome | undefined {
  const id = idIn(target, request)
  const own = idOf(target.model, sent)
  const isOther = own !== undefined && target.model.parameter !== undefined && entryKey(own, []) !== id
  return isOther ? fail(target, 'id_mismatch', { id }) : undefined
}

/** Creates the part of a change that a client cannot make: it keeps the server-owned properties, the id and the parents, and sets times of change. */
export function createServerChange(model: CollectionModel, operation: Operation, { serverOwned }: RequestRecord) {
  const { idPath, parents } = model
  // Of an id inside of an object, the other properties of that object can change.
  const kept = new Set([
    ...serverOwned,
    ...(idPath.length === 1 ? idPath : []),
    ...parents.flatMap(({ property }) => property ?? []),
  ])
  const timed = createTimesOfChange(model, operation, serverOwned)
  return {
    httpEffects: timed.httpEffects,
    /** Properties that the other record lacks are removed. */
    apply: (record: JsonObject, from: JsonObject, now: string): JsonObject => {
      const own = Object.entries(record).filter(([name]) => !kept.has(name))
      const old = [...kept].flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]] as const] : []))
      return timed.apply(Object.fromEntries([...old, ...own]), now)
    },
  }
}

/** Sets the times of change among some properties. */
export function createTimesOfChange(model: CollectionModel, operation: Operation, names: Iterable<string>) {
  const timed = operationOverrideOf(operation).off.has('updated') ? [] : [...names]
  const times = timed.flatMap((name) => {
    const make = timeOfChange(name, model.recordModel.properties.get(name) ?? {}, () =>
      exampleOf(model, model.shown, name),
    )
    return make ? [[name, make] as const] : []
  })
  return {
    httpEffects: times.length > 0 ? (['updated'] as const) : [],
    apply: (record: JsonObject, now: string): JsonObject =>
      times.length === 0
        ? record
        : { ...record, ...Object.fromEntries(times.map(([name, make]) => [name, make(now)])) },
  }
}
