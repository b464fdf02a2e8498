/** Handles the operations on callers and on single records. */
import { createError } from '../http-errors.js'
import { newRecordTemplate, callersDocument } from '../resources/document/write.js'
import type { State } from '../resources/records/state.js'
import { recordsOf } from '../resources/records/state.js'
import type { Collection } from '../resources/resources.js'
import type { AdminHandler, AdminRequest } from './admin-handler-types.js'
import type { RecordEdit } from './record-edits.js'
import { addStoredRecord, findStoredRecord, removeStoredRecord, replaceStoredRecord } from './record-edits.js'
import { selectRecords } from './record-page.js'

/** Returns the callers, as in a fixture. */
export const listCallers: AdminHandler = ({ sandbox }) => ({ body: callersDocument(sandbox.store.committed) })

/** Returns a page of the records of a collection. */
export const listRecords: AdminHandler = (request) => {
  const { caller, cutAt, limit, offset, order, q, sort } = request.parameters
  const { baseline, store } = request.sandbox
  const { name } = collectionOf(request)
  const page = selectRecords(recordsOf(store.committed, name), recordsOf(baseline.state, name), {
    q: text(q),
    caller: text(caller),
    sort: text(sort),
    isDescending: order === 'desc',
    limit: Number(limit ?? 100),
    offset: Number(offset ?? 0),
    cutAt: cutAt === undefined ? undefined : Number(cutAt),
  })
  return { body: page }
}

/** Returns a template for a new record. */
export const getRecordTemplate: AdminHandler = (request) => ({
  body: { record: newRecordTemplate(collectionOf(request)) },
})

/** Returns a record. */
export const getRecord: AdminHandler = (request) => ({
  body: findStoredRecord(request.sandbox.store.committed, collectionOf(request), String(request.parameters['key'])),
})

/** Adds a record. */
export const addRecord: AdminHandler = (request) => {
  const collection = collectionOf(request)
  const before = text(request.parameters['before'])
  const { stored } = addStoredRecord(request.sandbox.store.pending, collection, request.body, before)
  return edit(request, (state) => addStoredRecord(state, collection, stored.record, before))
}

/** Replaces a record. */
export const replaceRecord: AdminHandler = (request) => {
  const { body, parameters } = request
  const [key, version] = [String(parameters['key']), text(parameters['version'])]
  const collection = collectionOf(request)
  return edit(request, (state) => replaceStoredRecord(state, collection, key, body, version))
}

/** Removes a record. */
export const removeRecord: AdminHandler = (request) => {
  const { parameters } = request
  const [key, version] = [String(parameters['key']), text(parameters['version'])]
  const collection = collectionOf(request)
  return edit(request, (state) => removeStoredRecord(state, collection, key, version))
}

/** Tries a change. The commit repeats it on the then current state, because another request may have changed the state. */
function edit(
  { sandbox: { store } }: AdminRequest,
  change: (state: State) => RecordEdit,
): Awaited<ReturnType<AdminHandler>> {
  return { body: change(store.pending).stored, commit: () => store.commit(change(store.pending).state) }
}

function collectionOf({ double, parameters }: AdminRequest): Collection {
  const { collections } = double.service().resources
  const got = String(parameters['collection'])
  const found = collections.find(({ name }) => name === got)
  if (!found) throw createError('unknown_collection', { got, known: collections.map(({ name }) => name) })
  return found
}

const text = (value: AdminRequest['parameters'][string] | undefined): string | undefined =>
  value === undefined ? undefined : String(value)
