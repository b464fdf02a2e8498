import type { JsonObject } from '../documents/object.js'
import { createError } from '../http-errors.js'
import { newRecordTemplate, callersDocument } from '../resources/document/write.js'
import { changesSince } from '../resources/records/diff.js'
import { entriesOf, type Entry, entryDocument, hasAccess, type Records } from '../resources/records/records.js'
import { recordsOf, type State } from '../resources/records/state.js'
import type { Collection } from '../resources/resources.js'
import type { AdminHandler, AdminRequest } from './admin-handler-types.js'
import { cutChanges, cutRecord } from './cut-long-values.js'
import type { RecordEdit } from './record-edits.js'
import { addStoredRecord, findStoredRecord, removeStoredRecord, replaceStoredRecord } from './record-edits.js'

const listCallers: AdminHandler = ({ sandbox }) => ({ body: callersDocument(sandbox.store.committed) })

const listRecords: AdminHandler = (request) => {
  const { caller, cutAt, limit = 100, offset = 0, order, q = '', sort } = request.parameters
  const { baseline, store } = request.sandbox
  const { name } = collectionOf(request)
  const [records, before] = [recordsOf(store.committed, name), recordsOf(baseline.state, name)]
  const needle = q.toLowerCase()
  const matching = [...entriesOf(records)].filter(
    (entry) =>
      (caller === undefined || hasAccess(entry, caller)) && (needle === '' || contains(entryDocument(entry), needle)),
  )
  const sorted = sort === undefined ? matching : sortBy(matching, sort, order === 'desc')
  return {
    body: {
      total: records.size,
      matched: matching.length,
      records: sorted.slice(offset, offset + limit).map((entry) => listedRecord(entry, before, cutAt)),
    },
  }
}

const getRecordTemplate: AdminHandler = (request) => ({ body: { record: newRecordTemplate(collectionOf(request)) } })

const getRecord: AdminHandler = (request) => {
  const { key = '' } = request.parameters
  return { body: findStoredRecord(request.sandbox.store.committed, collectionOf(request), key) }
}

const addRecord: AdminHandler = (request) => {
  const collection = collectionOf(request)
  const { before } = request.parameters
  const { stored } = addStoredRecord(request.sandbox.store.pending, collection, request.body, before)
  return edit(request, (state) => addStoredRecord(state, collection, stored.record, before))
}

const replaceRecord: AdminHandler = (request) => {
  const { key = '', version } = request.parameters
  const collection = collectionOf(request)
  return edit(request, (state) => replaceStoredRecord(state, collection, key, request.body, version))
}

const removeRecord: AdminHandler = (request) => {
  const { key = '', version } = request.parameters
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

function collectionOf({ double, parameters: { collection: got = '' } }: AdminRequest): Collection {
  const { collections } = double.service().resources
  const found = collections.find(({ name }) => name === got)
  if (!found) throw createError('unknown_collection', { got, known: collections.map(({ name }) => name) })
  return found
}

/** Describes a record, and its change since the last reset or the last replacement of the state. */
function listedRecord(entry: Entry, baseline: Records, cutAt: number | undefined): object {
  const changes = changesSince(baseline, entry)
  return {
    key: entry.key,
    record: cutRecord(entryDocument(entry), cutAt),
    ...(changes === 'added' ? { added: true } : {}),
    ...(typeof changes === 'object' ? { changed: cutChanges(changes, cutAt) } : {}),
  }
}

/** Tells whether a value inside a JSON value contains a text, ignoring case. Names of properties do not count. */
function contains(value: unknown, needle: string): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((inner) => contains(inner, needle))
  return String(value).toLowerCase().includes(needle)
}

/** Sorts by a property. Numbers come before texts. Records without the property come last, in both directions. */
function sortBy(entries: readonly Entry[], property: string, isDescending: boolean): Entry[] {
  const keyed = entries.map((entry) => ({ entry, value: sortValue(entryDocument(entry), property) }))
  const direction = isDescending ? -1 : 1
  return keyed
    .toSorted((one, other) => {
      if (one.value === undefined || other.value === undefined)
        return Number(one.value === undefined) - Number(other.value === undefined)
      return direction * compare(one.value, other.value)
    })
    .map(({ entry }) => entry)
}

const collator = new Intl.Collator('en', { numeric: true })

function compare(one: number | string, other: number | string): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1
  return typeof other === 'number' ? 1 : collator.compare(one, other)
}

function sortValue(record: JsonObject, property: string): number | string | undefined {
  const value = Object.hasOwn(record, property) ? record[property] : undefined
  if (value === undefined || typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}

export const recordHandlers = {
  listCallers,
  listRecords,
  getRecordTemplate,
  getRecord,
  addRecord,
  replaceRecord,
  removeRecord,
}
