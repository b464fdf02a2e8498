/** Puts a changed record in the place of the present one. */
import type { JsonObject } from '../../documents/object.js'
import type { Outcome, ResourceRequest } from '../handler.js'
import { checkRecord } from '../infer/record-model.js'
import { deepFreeze, isEqual } from '../json.js'
import type { Entry } from '../records/records.js'
import { replaceEntry } from '../records/records.js'
import type { State } from '../records/state.js'
import { recordsOf, withRecords } from '../records/state.js'
import type { Place } from './key.js'
import { fail, idIn } from './key.js'
import type { RecordResponse } from './response-record.js'
import type { Draft } from './role.js'

/** Changes a record, if the result fits its schema. */
export function changeRecord(
  place: Place,
  state: State,
  entry: Entry,
  changed: JsonObject,
  response: RecordResponse,
): Outcome {
  const { collection, draft } = place
  if (isEqual(entry.record, changed)) return response.respond(entry.record)
  const record = deepFreeze(changed)
  const misfits = [...checkRecord(draft.contract, draft.model, record), ...response.check(record)]
  if (misfits.length > 0) return fail(place, 'invalid_record', { id: entry.key, misfits })
  const records = replaceEntry(recordsOf(state, collection), entry.key, record)
  return { ...response.respond(record), next: withRecords(state, collection, records) }
}

/** The error of a body that names another record than the path does. */
export function findIdMismatch(place: Place, request: ResourceRequest, sent: JsonObject): Outcome | undefined {
  const { idProperty } = place.draft
  const id = idIn(place, request)
  const isOther = Object.hasOwn(sent, idProperty) && String(sent[idProperty]) !== id
  return isOther ? fail(place, 'id_mismatch', { id }) : undefined
}

/** Properties that a change keeps: what the server owns, the id and the parents. */
export const keptProperties = ({ idProperty, parents }: Draft, serverOwned: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...serverOwned, idProperty, ...parents.flatMap(({ property }) => property ?? [])])

/** A record with some properties as they are in another, which may lack them. */
export function keepProperties(record: JsonObject, names: ReadonlySet<string>, from: JsonObject): JsonObject {
  const own = Object.entries(record).filter(([name]) => !names.has(name))
  const kept = [...names].filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]] as const)
  return Object.fromEntries([...kept, ...own])
}
