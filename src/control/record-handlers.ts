/** Handles the operations on callers and on single records. */
import type { JsonObject } from '../documents/object.js'
import { createError } from '../http-errors.js'
import { newRecordTemplate } from '../resources/document/new-record-template.js'
import { entryDocument } from '../resources/document/write-record.js'
import { callersDocument } from '../resources/document/write.js'
import { hasAccess } from '../resources/records/chunk.js'
import type { RecordChanges } from '../resources/records/diff-types.js'
import { changesSince } from '../resources/records/diff.js'
import type { Entry } from '../resources/records/entry.js'
import type { Records } from '../resources/records/records.js'
import { entriesOf } from '../resources/records/records.js'
import type { State } from '../resources/records/state.js'
import { recordsOf } from '../resources/records/state.js'
import type { Collection } from '../resources/resources.js'
import type { AdminHandler, AdminRequest } from './admin-handler-types.js'
import { cutChanges, cutRecord } from './cut-long-values.js'
import type { RecordEdit } from './record-edits.js'
import { addStoredRecord, findStoredRecord, removeStoredRecord, replaceStoredRecord } from './record-edits.js'

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

/** The query for a page of records. */
interface RecordQuery {
  /** Only records that contain this text, ignoring case. */
  readonly q?: string | undefined
  /** Only records that this caller has access to. */
  readonly caller?: string | undefined
  /** The property to sort by. Default: the order of the collection. */
  readonly sort?: string | undefined
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
  /** The most characters of the JSON text of a value. A longer text is cut. Undefined: no limit. */
  readonly cutAt?: number | undefined
}

/** A page of records. */
interface RecordPage {
  /** Number of records of the collection. */
  readonly total: number
  /** Number of records that match the filters. */
  readonly matched: number
  readonly records: readonly ListedRecord[]
}

/** A record of a page. */
interface ListedRecord {
  readonly key: string
  readonly record: JsonObject
  /** True if the record was added since the last reset or the last replacement of the state. */
  readonly added?: true
  /** The properties that have changed since then. */
  readonly changed?: RecordChanges
}

/** Selects the records of a page. @param baseline - The records of the last reset or the last replacement of the state. */
function selectRecords(records: Records, baseline: Records, query: RecordQuery): RecordPage {
  const { caller, cutAt, limit, offset, q = '', sort } = query
  const needle = q.toLowerCase()
  const matching = [...entriesOf(records)].filter(
    (entry) =>
      (caller === undefined || hasAccess(entry, caller)) && (needle === '' || contains(entryDocument(entry), needle)),
  )
  const sorted = sort === undefined ? matching : sortBy(matching, sort, query.isDescending)
  return {
    total: records.size,
    matched: matching.length,
    records: sorted.slice(offset, offset + limit).map((entry) => listedRecord(entry, baseline, cutAt)),
  }
}

function listedRecord(entry: Entry, baseline: Records, cutAt: number | undefined): ListedRecord {
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
