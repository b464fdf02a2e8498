/** Finds the record that a request names. */
import type { CollectionModel } from '../infer/collection-model.js'
import { entryKey, isKeptInSamePlace, type Parent } from '../infer/parents.js'
import { type Entry, findEntry, hasAccess } from '../records/records.js'
import { type Caller, recordsOf, type State } from '../records/state.js'
import type { ParameterValue, ResourceError, ResourceRequest } from './role.js'

/** The collection that a handler serves. */
export interface Target {
  readonly collection: string
  readonly model: CollectionModel
}

/** Returns the key of the record that the path of a request names. */
export const keyOf = (target: Target, request: ResourceRequest): string =>
  keyWithId(target, request, idIn(target, request))

/** Returns the key of a record with another id, and with the parents in the path of a request. */
export const keyWithId = ({ model }: Target, request: ResourceRequest, id: unknown): string =>
  entryKey(
    id,
    model.keyParents.map((parent) => parentValue(model, request, parent)),
  )

/** The parent may have another name in the path of the request. */
export function parentValue({ parents }: CollectionModel, request: ResourceRequest, parent: Parent): ParameterValue {
  const own = parents.find((each) => isKeptInSamePlace(each, parent))
  return own ? pathValue(request, own.parameter) : ''
}

/** Returns the id in the path of a request, as text. */
export const idIn = ({ model }: Target, request: ResourceRequest): string =>
  String(pathValue(request, model.parameter.name))

export const pathValue = ({ path }: ResourceRequest, name: string): ParameterValue =>
  (Object.hasOwn(path, name) ? path[name] : undefined) ?? ''

/** Finds the record that the path of a request names. If it does not exist, the error is always the same. */
export function findRecord(
  target: Target,
  state: State,
  caller: Caller | undefined,
  request: ResourceRequest,
): Entry | ResourceError {
  const key = keyOf(target, request)
  const records = recordsOf(state, target.collection)
  const entry = findEntry(records, key)
  if (entry && hasAccess(entry, caller?.name) && isBelow(target, entry, request)) return entry
  const removed = records.removed.includes(key)
    ? 'the record was removed since the last reset'
    : 'a record with this id never existed since the last reset'
  const withoutAccess = entry && !hasAccess(entry, caller?.name)
  const note = withoutAccess
    ? `the record exists, but ${caller ? caller.name : 'a request without a credential'} has no access`
    : entry
      ? 'the record exists below another parent'
      : removed
  return fail(target, 'unknown_record', { id: idIn(target, request), note })
}

/** Returns the value of a parent of a record. */
export const parentIn = ({ parents, record }: Entry, { key, property }: Parent): unknown =>
  property === undefined ? parents?.[key] : record[property]

/** Tells whether a record has the parents that the path of a request names. The parents in its key are already equal. */
function isBelow({ model }: Target, entry: Entry, request: ResourceRequest): boolean {
  if (model.parents.length === model.keyParents.length) return true
  return model.parents.every((parent) => parentIn(entry, parent) === pathValue(request, parent.parameter))
}

export const fail = (
  { collection, model }: Target,
  error: ResourceError['error'],
  details: Omit<ResourceError, 'error' | 'collection' | 'idProperty'> = {},
): ResourceError => ({ error, collection, idProperty: model.idProperty, ...details })

/** Creates the error of a body that contains no record. */
export const failWithoutRecord = (target: Target): ResourceError =>
  fail(target, 'invalid_record', { validationErrors: [{ path: [], message: 'must be an object' }] })
