/** Creates a record: by POST to a collection, or by PUT to a path without a record. */
import type { JsonObject } from '../../documents/object.js'
import { deepFreeze } from '../freeze-compare-and-merge-json.js'
import type { Id } from '../ids/id-scheme.js'
import { placeParents } from '../infer/parents.js'
import { checkRecord } from '../infer/record-model.js'
import { addEntry } from '../records/records.js'
import type { Caller, State } from '../records/state.js'
import { everyone, recordsOf, withRecords } from '../records/state.js'
import type { RoleContext, RoleOutcome, ResourceRequest } from '../role-handler-types.js'
import type { Target } from './find-record.js'
import { fail, keyWithId, parentValue, pathValue } from './find-record.js'
import type { RecordResponse } from './match-success-response.js'
import type { ServerOwnedValues } from './server-owned-values.js'

/** A request that adds a record. */
export interface Creation {
  readonly target: Target
  readonly state: State
  /** The request, whose path names the parents. */
  readonly request: ResourceRequest
  readonly caller: Caller | undefined
  readonly context: RoleContext
  readonly filling: ServerOwnedValues
  readonly response: RecordResponse
}

/**
 * Creates a record.
 *
 * @param sent - The properties that the client sent.
 * @param id - The id of the record, which is not in use.
 * @param number - The number of a generated id. 0: the client chose the id.
 */
export function createRecord(creation: Creation, sent: JsonObject, id: Id, number: number): RoleOutcome {
  const { caller, context, filling, target, request, response, state } = creation
  const { model } = target
  const parents = placeParents(model.parents, ({ parameter }) => pathValue(request, parameter))
  const own = { ...sent, ...parents.properties, ...Object.fromEntries([[model.idProperty, id]]) }
  const record = deepFreeze(inOrder(model.recordModel.properties.keys(), filling.complete(own, context.now)))
  const validationErrors = [
    ...checkRecord(model.contract, model.recordModel, record),
    ...response.check(record),
    // Half of a surrogate pair has no percent-encoding, so no URL could name the record.
    ...(/\p{Surrogate}/u.test(String(id))
      ? [{ path: [model.idProperty], message: `${model.idProperty} must be text that UTF-8 can encode` }]
      : []),
  ]
  if (validationErrors.length > 0) return fail(target, 'invalid_record', { id: String(id), validationErrors })
  const records = recordsOf(state, target.collection)
  const key = keyWithId(target, request, id)
  const entry = {
    key,
    record,
    access: caller && caller !== everyone && model.isReadByCallers ? Object.freeze([caller.name]) : undefined,
    parents: parents.others,
  }
  const lastNumber = Math.max(records.lastNumber, number, model.ids?.numberOf(id) ?? 0)
  const headers = response.hasLocation ? { location: locationOf(target, request, id) } : undefined
  return {
    ...response.respond(record, headers),
    createdId: String(id),
    next: withRecords(state, target.collection, addEntry(records, entry, lastNumber)),
  }
}

function locationOf({ model }: Target, request: ResourceRequest, id: Id): string {
  return model.itemPath.replaceAll(/\{([^{}]+)\}/gu, (_braces, name: string) => {
    const parent = model.itemParents.find(({ parameter }) => parameter === name)
    return encodeURIComponent(String(parent ? parentValue(model, request, parent) : id))
  })
}

/** Returns a record with its properties in the order of the contract. Other properties come last. */
function inOrder(names: Iterable<string>, record: JsonObject): JsonObject {
  const known = [...names].filter((name) => Object.hasOwn(record, name))
  const others = Object.keys(record).filter((name) => !known.includes(name))
  return Object.fromEntries([...known, ...others].map((name) => [name, record[name]]))
}
