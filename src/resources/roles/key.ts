import type { ParameterValue, ResourceError, ResourceRequest } from '../handler.js'
/** Which record a request means. */
import { entryKey } from '../infer/parents.js'
import { hasAccess } from '../records/chunk.js'
import type { Entry } from '../records/records.js'
import { findEntry } from '../records/records.js'
import { wasRemoved } from '../records/removed.js'
import type { Caller, State } from '../records/state.js'
import { recordsOf } from '../records/state.js'
import type { Draft } from './role.js'

/** A place in a collection. */
export interface Place {
  readonly collection: string
  readonly draft: Draft
}

/** The key of the record that the path of a request names. */
export const keyOf = (place: Place, request: ResourceRequest): string => keyBeside(place, request, idIn(place, request))

/** The key of a record with another id, and with the parents that the path of a request names. */
export const keyBeside = ({ draft }: Place, request: ResourceRequest, id: unknown): string =>
  entryKey(
    id,
    draft.parents.map(({ parameter }) => pathValue(request, parameter)),
  )

/** The id that the path of a request names, as text. */
export const idIn = ({ draft }: Place, request: ResourceRequest): string =>
  String(pathValue(request, draft.parameter.name))

/** The value of a path parameter. */
export const pathValue = ({ path }: ResourceRequest, name: string): ParameterValue =>
  (Object.hasOwn(path, name) ? path[name] : undefined) ?? ''

/** Finds the record that the path of a request names. The response is one and the same error if it is not there. */
export function findRecord(
  place: Place,
  state: State,
  caller: Caller | undefined,
  request: ResourceRequest,
): Entry | ResourceError {
  const key = keyOf(place, request)
  const records = recordsOf(state, place.collection)
  const entry = findEntry(records, key)
  if (entry && hasAccess(entry, caller?.name)) return entry
  const removed = wasRemoved(records.removed, key)
    ? 'the record was removed since the last reset'
    : 'a record with this id never existed since the last reset'
  const note = entry
    ? `the record exists, but ${caller ? caller.name : 'a request without a credential'} has no access`
    : removed
  return fail(place, 'unknown_record', { id: idIn(place, request), note })
}

/** Makes an error of a collection. */
export const fail = (
  { collection, draft }: Place,
  error: ResourceError['error'],
  details: Omit<ResourceError, 'error' | 'collection' | 'idProperty'> = {},
): ResourceError => ({ error, collection, idProperty: draft.idProperty, ...details })
