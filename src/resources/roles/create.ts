/** Create: `POST` to a collection adds the body, and fills in the server-owned properties. */
import type { JsonObject } from '../../documents/object.js'
import type { Id } from '../ids/id-scheme.js'
import { nextId } from '../ids/next-id.js'
import { isKeptInSamePlace } from '../infer/parents.js'
import { findEntry } from '../records/records.js'
import { wasRemoved } from '../records/removed-keys.js'
import { recordsOf } from '../records/state.js'
import type { RoleHandler } from '../role-handler-types.js'
import { createRecord } from './create-record.js'
import { fail, failWithoutRecord, keyWithId } from './find-record.js'
import { matchCreation } from './match-creation.js'
import { matchRequestBody } from './match-request-body.js'
import type { Role } from './role.js'

/** Adds a record. */
export const create: Role = {
  name: 'create',
  methods: ['POST'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation, 'nowhere')
    if (typeof request === 'string') return request
    const creation = matchCreation(model, operation, request)
    if (typeof creation === 'string') return creation
    const { filling, response } = creation
    const { idProperty, ids, itemPath, keyParents, parents } = model
    const unknown = keyParents.find((one) => !parents.some((other) => isKeptInSamePlace(one, other)))
    if (unknown) return `its path does not name ${unknown.parameter}, which ${itemPath} needs`
    const isIdSent = !request.serverOwned.has(idProperty) && request.schema.required.has(idProperty)
    if (!ids && !isIdSent) return `the double cannot create an ${idProperty} that is valid by its schema`

    const createHandler = (collection: string): RoleHandler => {
      const target = { collection, model }
      return (state, caller, sentRequest, context) => {
        const sent = request.read(sentRequest)
        if (!sent) return failWithoutRecord(target)
        const own = request.storable(sent)
        const records = recordsOf(state, collection)
        const added = { target, state, request: sentRequest, caller, context, filling, response }
        const isTaken = (id: Id): boolean => findEntry(records, keyWithId(target, sentRequest, id)) !== undefined
        const sentId = ownId(own, idProperty)
        if (sentId !== undefined) {
          const id = String(sentId)
          return isTaken(sentId) ? fail(target, 'id_exists', { id }) : createRecord(added, own, sentId, 0)
        }
        const made =
          ids &&
          nextId(
            ids,
            records.lastNumber,
            // The numbers of removed records are not above the last number, if ids show them.
            (id) =>
              isTaken(id) ||
              (ids.numberOf(id) === 0 && wasRemoved(records.removed, keyWithId(target, sentRequest, id))),
          )
        return made ? createRecord(added, own, made.id, made.number) : fail(target, 'no_more_ids')
      }
    }
    return { filled: () => [...filling.filled(), ...response.filled], createHandler }
  },
}

function ownId(record: JsonObject, idProperty: string): Id | undefined {
  const id = Object.hasOwn(record, idProperty) ? record[idProperty] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
