/** Create: `POST` to a collection adds the body, and fills in the server-owned properties. */
import type { Operation } from '../../contract/contract.js'
import { fillTemplate } from '../../contract/path-template.js'
import type { JsonObject } from '../../documents/object.js'
import { type Id, nextId } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { isKeptInSamePlace, placeParents } from '../infer/parents.js'
import { checkRecord } from '../infer/record-model.js'
import { deepFreeze } from '../json.js'
import { findEntry, addEntry } from '../records/records.js'
import { type Caller, everyone, recordsOf, type State, withRecords } from '../records/state.js'
import { fail, failWithoutRecord, keyWithId, parentValue, pathValue, type Target } from './find-record.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse, type RecordResponse } from './match-success-response.js'
import type { RoleHandler, RoleContext, RoleOutcome, ResourceRequest, Role } from './role.js'
import { createServerOwnedValues, type ServerOwnedValues } from './server-owned-values.js'

export const create: Role = {
  name: 'create',
  methods: ['POST'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation, 'nowhere')
    if (typeof request === 'string') return request
    const creation = matchCreation(model, operation, request)
    if (typeof creation === 'string') return creation
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
        const added = { ...creation, target, state, request: sentRequest, caller, context }
        const isTaken = (id: Id): boolean => findEntry(records, keyWithId(target, sentRequest, id)) !== undefined
        const sentId = Object.hasOwn(own, idProperty) ? own[idProperty] : undefined
        if (typeof sentId === 'string' || typeof sentId === 'number') {
          const id = String(sentId)
          return isTaken(sentId) ? fail(target, 'id_exists', { id }) : createRecord(added, own, sentId, 0)
        }
        // The numbers of removed records are not above the last number, if ids show them.
        const wasUsed = (id: Id): boolean =>
          ids?.numberOf(id) === 0 && records.removed.includes(keyWithId(target, sentRequest, id))
        const made = ids && nextId(ids, records.lastNumber, (id) => isTaken(id) || wasUsed(id))
        return made ? createRecord(added, own, made.id, made.number) : fail(target, 'no_more_ids')
      }
    }
    return { filled: () => [...creation.filling.filled(), ...creation.response.filled], createHandler }
  },
}

/** A request that adds a record. */
interface Creation extends CreationMatch {
  readonly target: Target
  readonly state: State
  /** The request, whose path names the parents. */
  readonly request: ResourceRequest
  readonly caller: Caller | undefined
  readonly context: RoleContext
}

/** Creates a record. @param id - It is not in use. @param number - The number of a generated id. 0: the client chose the id. */
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
  const access = caller && caller !== everyone && model.isReadByCallers ? Object.freeze([caller.name]) : undefined
  const entry = { key: keyWithId(target, request, id), record, access, parents: parents.others }
  const lastNumber = Math.max(records.lastNumber, number, model.ids?.numberOf(id) ?? 0)
  const headers = response.hasLocation ? { location: locationOf(target, request, id) } : undefined
  return {
    ...response.respond(record, headers),
    createdId: String(id),
    next: withRecords(state, target.collection, addEntry(records, entry, lastNumber)),
  }
}

function locationOf({ model }: Target, request: ResourceRequest, id: Id): string {
  return fillTemplate(model.itemPath, (name) => {
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

interface CreationMatch {
  readonly filling: ServerOwnedValues
  readonly response: RecordResponse
}

/** Matches the response to a creation, and finds the properties that the server fills in. @returns Or the reason why it does not fit, as a clause. */
export function matchCreation(
  model: CollectionModel,
  operation: Operation,
  request: RequestRecord,
): CreationMatch | string {
  const response = matchSuccessResponse(model, operation, '201')
  if (typeof response === 'string') return response
  const { body, documented: status } = response
  const shown = body && status !== undefined ? { operation, status, fromBody: body.fromBody } : undefined
  const filling = createServerOwnedValues(model, request, shown)
  return typeof filling === 'string' ? filling : { filling, response }
}
