/** Create: `POST` to a collection adds the body, and fills in what the server owns. */
import type { JsonObject } from '../../documents/object.js'
import type { Handler } from '../handler.js'
import { findEntry } from '../records/records.js'
import { wasRemoved } from '../records/removed.js'
import { recordsOf } from '../records/state.js'
import type { Id, IdScheme } from '../schema/id-scheme.js'
import { createFilling } from './fill.js'
import { fail, keyBeside } from './key.js'
import { addRecord } from './new-record.js'
import { findUnmetParameter, fitRequest } from './request-record.js'
import { fitResponse } from './response-record.js'
import type { Role } from './role.js'

/** Adds a record. */
export const create: Role = {
  name: 'create',
  place: 'collection',
  methods: ['POST'],
  fit: (draft, operation) => {
    const request = fitRequest(draft, operation, true)
    if (typeof request === 'string') return request
    const response = fitResponse(draft, operation, '201')
    if (typeof response === 'string') return response
    const unmet = findUnmetParameter(operation)
    if (unmet !== undefined) return unmet
    const { body, documented } = response
    const shown =
      body && documented !== undefined ? { operation, status: documented, fromBody: body.fromBody } : undefined
    const filling = createFilling(draft, request, shown)
    if (typeof filling === 'string') return filling
    const { idProperty, ids } = draft
    const isIdSent = !request.serverOwned.has(idProperty) && request.schema.required.has(idProperty)
    if (!ids && !isIdSent) return `no way is known to make an ${idProperty} that fits its schema`

    const bind = (collection: string): Handler => {
      const place = { collection, draft }
      return (state, caller, sentRequest, context) => {
        const sent = request.read(sentRequest)
        if (!sent) return fail(place, 'invalid_record', { misfits: [{ path: [], message: 'must be an object' }] })
        const own = request.storable(sent)
        const records = recordsOf(state, collection)
        const creation = { place, state, request: sentRequest, caller, context, filling, response }
        const isTaken = (id: Id): boolean => findEntry(records, keyBeside(place, sentRequest, id)) !== undefined
        const sentId = ownId(own, idProperty)
        if (sentId !== undefined) {
          const id = String(sentId)
          return isTaken(sentId) ? fail(place, 'id_exists', { id }) : addRecord(creation, own, sentId, 0)
        }
        const made =
          ids &&
          nextId(
            ids,
            records.lastNumber,
            (id) => isTaken(id) || wasRemoved(records.removed, keyBeside(place, sentRequest, id)),
          )
        return made ? addRecord(creation, own, made.id, made.number) : fail(place, 'no_more_ids')
      }
    }
    return { filled: filling.filled, bind }
  },
}

function ownId(record: JsonObject, idProperty: string): Id | undefined {
  const id = Object.hasOwn(record, idProperty) ? record[idProperty] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** The next id that no record has or had. */
function nextId(
  ids: IdScheme,
  lastNumber: number,
  isUsed: (id: Id) => boolean,
): { readonly id: Id; readonly number: number } | undefined {
  for (let number = lastNumber + 1; ; number += 1) {
    const id = ids.idOf(number)
    if (id === undefined) return undefined
    if (!isUsed(id)) return { id, number }
  }
}
