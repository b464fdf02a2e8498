/** Adds a record: by POST to a collection, or by PUT to a path that has none. */
import type { JsonObject } from '../../documents/object.js'
import type { HandlerContext, Outcome, ResourceRequest } from '../handler.js'
import { placeParents } from '../infer/parents.js'
import { checkRecord } from '../infer/record-model.js'
import { deepFreeze } from '../json.js'
import { addEntry } from '../records/records.js'
import type { Caller, State } from '../records/state.js'
import { recordsOf, withRecords } from '../records/state.js'
import type { Id } from '../schema/id-scheme.js'
import type { Filling } from './fill.js'
import type { Place } from './key.js'
import { fail, keyBeside, pathValue } from './key.js'
import type { RecordResponse } from './response-record.js'

/** Who adds a record, to what. */
export interface Creation {
  readonly place: Place
  readonly state: State
  /** The request, whose path names the parents. */
  readonly request: ResourceRequest
  readonly caller: Caller | undefined
  readonly context: HandlerContext
  readonly filling: Filling
  readonly response: RecordResponse
}

/**
 * Adds a record.
 *
 * @param sent - What the client says of it.
 * @param id - Its id, which is free.
 * @param number - The number that the id was made of. 0: the client chose it.
 */
export function addRecord(creation: Creation, sent: JsonObject, id: Id, number: number): Outcome {
  const { caller, context, filling, place, request, response, state } = creation
  const { draft } = place
  const parents = placeParents(draft.parents, ({ parameter }) => pathValue(request, parameter))
  const own = { ...sent, ...parents.properties, ...Object.fromEntries([[draft.idProperty, id]]) }
  const record = deepFreeze(inOrder(draft.model.properties.keys(), filling.complete(own, context.now)))
  const misfits = [...checkRecord(draft.contract, draft.model, record), ...response.check(record)]
  if (misfits.length > 0) return fail(place, 'invalid_record', { id: String(id), misfits })
  const records = recordsOf(state, place.collection)
  const key = keyBeside(place, request, id)
  const entry = { key, record, access: caller && Object.freeze([caller.name]), parents: parents.beside }
  const lastNumber = Math.max(records.lastNumber, number, draft.ids?.numberOf(id) ?? 0)
  const headers = response.hasLocation ? { location: locationOf(place, request, id) } : undefined
  return {
    ...response.respond(record, headers),
    next: withRecords(state, place.collection, addEntry(records, entry, lastNumber)),
  }
}

function locationOf({ draft }: Place, request: ResourceRequest, id: Id): string {
  return draft.itemPath.replaceAll(/\{([^{}]+)\}/gu, (_braces, name: string) => {
    const value = name === draft.parameter.name ? id : pathValue(request, name)
    return encodeURIComponent(String(value))
  })
}

/** A record with its properties in the order of the contract; what the contract does not name comes last. */
function inOrder(names: Iterable<string>, record: JsonObject): JsonObject {
  const known = [...names].filter((name) => Object.hasOwn(record, name))
  const others = Object.keys(record).filter((name) => !known.includes(name))
  return Object.fromEntries([...known, ...others].map((name) => [name, record[name]]))
}
