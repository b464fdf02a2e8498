import { hash } from 'node:crypto'

import { isObject, mapValues } from '../documents/object.js'
import { toPointer } from '../documents/pointer.js'
import { createError } from '../http-errors.js'
import { readOneRecord } from '../resources/document/read-records.js'
import { callersDocument, newRecordTemplate } from '../resources/document/write.js'
import { isId, nextId } from '../resources/ids.js'
import { idOf, withId } from '../resources/infer/id-property.js'
import type { RecordChanges } from '../resources/records/diff-types.js'
import { changesSince } from '../resources/records/diff.js'
import type { Entry, NewEntry, Records } from '../resources/records/records.js'
import {
  addEntry,
  entriesOf,
  entryDocument,
  findEntry,
  findRemoved,
  hasAccess,
  removeEntry,
  replaceEntry,
  restoreEntry,
} from '../resources/records/records.js'
import { recordsOf, type State, withRecords } from '../resources/records/state.js'
import type { Collection } from '../resources/resources.js'
import type { AdminHandlers, AdminRequest } from './admin-handler-types.js'
import type { ListedRecord, RecordPage, StoredRecord } from './page-types.js'

/** The records of a collection after a change, the keys of those that it concerns, and the one that it adds, replaces or removes. */
interface RecordEdit {
  readonly next: Records
  readonly keys: readonly string[]
  /** The number of keys that one change of several records removes. It restores the others. */
  readonly removed?: number
  readonly body?: StoredRecord
}

type Change = (records: Records, state: State, collection: Collection) => RecordEdit

/** @throws {DoubleError} `invalid_record`, `id_exists`, `no_more_ids`. */
const addition =
  (value: unknown): Change =>
  (records, state, collection) => {
    const { model, name, operations } = collection
    const entry = read(state, collection, withNextId(value, collection, records))
    const id = idOf(model, entry.record)
    if (findEntry(records, entry.key))
      throw createError('id_exists', { collection: name, id: String(id), idProperty: model.idProperty })
    const number = operations.has('create') && isId(id) ? (model.ids()?.numberOf(id) ?? 0) : 0
    return editOf(entry, addEntry(records, entry, Math.max(records.lastNumber, number)))
  }

/** Finds the record that a request names, of the version that it names. @throws {DoubleError} `record_not_found`, `record_changed`. */
function find(records: Records, collection: string, { parameters: { key = '', version } }: AdminRequest): Entry {
  const entry = findEntry(records, key)
  if (!entry) throw createError('record_not_found', { collection, key })
  if (version !== undefined && version !== versionOf(entry)) throw createError('record_changed', { collection, key })
  return entry
}

function read(state: State, collection: Collection, value: unknown): NewEntry {
  const result = readOneRecord(value, collection, state)
  if ('entry' in result) return result.entry
  const errors = result.problems.map(({ hint, message, path }) => `${toPointer(path)} ${message} (${hint})`)
  throw createError('invalid_record', { collection: collection.name, validationErrors: errors })
}

/** Adds the next free id to a record without one, if the double can create ids. */
function withNextId(value: unknown, { model, name }: Collection, records: Records): unknown {
  const ids = model.ids()
  if (!isObject(value) || idOf(model, value) !== undefined || !ids) return value
  const taken = new Set([...entriesOf(records)].map(({ record }) => String(idOf(model, record))))
  const isUsed = (id: number | string) => taken.has(String(id)) || findRemoved(records, String(id)) !== undefined
  const made = nextId(ids, records.lastNumber, isUsed)
  if (!made) throw createError('no_more_ids', { collection: name, operation: 'addRecord' })
  return withId(model, value, made.id)
}

const stored = (entry: NewEntry) => ({ key: entry.key, record: entryDocument(entry), version: versionOf(entry) })

const editOf = (entry: NewEntry, next: Records): RecordEdit => ({ next, keys: [entry.key], body: stored(entry) })

const versionOf = (entry: NewEntry): string => hash('sha256', JSON.stringify(entryDocument(entry))).slice(0, 16)

export const recordHandlers: AdminHandlers = {
  listCallers: ({ sandbox }) => ({ body: callersDocument(sandbox.store.committed) }),
  listRecords: (request) => {
    const { caller, cutAt, field, limit = 100, offset = 0, order, q = '', sort } = request.parameters
    const { baseline, store } = request.sandbox
    const { name } = collectionOf(request)
    const [records, before] = [recordsOf(store.committed, name), recordsOf(baseline.state, name)]
    const needle = q.toLowerCase()
    const matching = [...entriesOf(records)].filter(
      (entry) =>
        (caller === undefined || hasAccess(entry, caller)) &&
        (needle === '' || contains(field === undefined ? entryDocument(entry) : entryDocument(entry)[field], needle)),
    )
    const sorted = sort === undefined ? matching : sortBy(matching, sort, order === 'desc')
    const page = sorted.slice(offset, offset + limit).map((entry) => listedRecord(entry, before, cutAt))
    return { body: { total: records.size, matched: matching.length, records: page } satisfies RecordPage }
  },
  getRecordTemplate: (request) => ({ body: { record: newRecordTemplate(collectionOf(request)) } }),
  getRecord: (request) => {
    const { name } = collectionOf(request)
    const records = recordsOf(request.sandbox.store.committed, name)
    return { body: stored(find(records, name, request)) }
  },
  addRecord: (request) => {
    // The commit adds the record with the id that it gets here.
    const { body } = edit('addRecord', request, addition(request.body))
    return edit('addRecord', request, addition(body?.record))
  },
  replaceRecord: (request) =>
    edit('replaceRecord', request, (records, state, collection) => {
      const { name } = collection
      const { key } = find(records, name, request)
      const entry = read(state, collection, request.body)
      if (entry.key !== key) throw createError('record_renamed', { collection: name, key, got: entry.key })
      const { access, parents, record } = entry
      return editOf(entry, replaceEntry(records, key, { access, parents, record }))
    }),
  removeRecord: (request) =>
    edit('removeRecord', request, (records, _, { name }) => {
      const entry = find(records, name, request)
      return editOf(entry, removeEntry(records, entry.key))
    }),
  changeRecords: (request) =>
    edit('changeRecords', request, (present, _, { name: collection }) => {
      // The contract has validated the body.
      const { remove = [], restore = [] } = request.body as Partial<Record<'remove' | 'restore', readonly string[]>>
      const start = recordsOf(request.sandbox.baseline.state, collection)
      const records = restore.reduce((restored, key) => restoreEntry(restored, start, key), present)
      const unknown = remove.find((key) => !findEntry(records, key))
      if (unknown !== undefined) throw createError('record_not_found', { collection, key: unknown })
      return { next: remove.reduce(removeEntry, records), keys: [...remove, ...restore], removed: remove.length }
    }),
  listUndoable: ({ sandbox }) => ({ body: sandbox.undoable }),
  undo: ({ sandbox }) => {
    const { change, commit } = sandbox.prepareUndo()
    return { body: change, commit }
  },
}

/** Tries a change. The commit repeats it on the then current state, because another request may have changed the state. */
function edit(operation: string, request: AdminRequest, change: Change) {
  const { sandbox } = request
  const collection = collectionOf(request)
  const { name } = collection
  const tryNow = (): RecordEdit => change(recordsOf(sandbox.store.pending, name), sandbox.store.pending, collection)
  const { body, keys, removed } = tryNow()
  const what = { operation, collection: name, keys, ...(removed !== undefined && { removed }) }
  const commit = (): Promise<void> => sandbox.change(what, withRecords(sandbox.store.pending, name, tryNow().next))
  return { body, commit }
}

function collectionOf({ double, parameters: { collection: got = '' } }: AdminRequest): Collection {
  const { collections } = double.service().resources
  const found = collections.find(({ name }) => name === got)
  if (!found) throw createError('unknown_collection', { got, known: collections.map(({ name }) => name) })
  return found
}

function listedRecord(entry: Entry, baseline: Records, cutAt: number | undefined): ListedRecord {
  const changes = changesSince(baseline, entry)
  return {
    key: entry.key,
    record: mapValues(entryDocument(entry), (value) => cutValue(value, 0, cutAt)),
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
  const keyed = entries.map((entry) => ({ entry, value: sortValue(entryDocument(entry)[property]) }))
  const missing = keyed.filter(({ value }) => value === undefined)
  const sorted = keyed
    .filter(({ value }) => value !== undefined)
    .toSorted((one, other) => compare(one.value, other.value) * (isDescending ? -1 : 1))
  return [...sorted, ...missing].map(({ entry }) => entry)
}

const collator = new Intl.Collator('en', { numeric: true })

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1
  return typeof other === 'number' ? 1 : collator.compare(String(one), String(other))
}

const sortValue = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)

/** Cuts the values of changes. If one is too long, both begin at the same place, shortly before their first difference. */
export const cutChanges = (changes: RecordChanges, length = Infinity): RecordChanges =>
  mapValues(changes, (change) => {
    const [before, after] = [textOf(change.before), textOf(change.after)]
    const last = Math.max(before.length, after.length) - length
    const from = Math.min(commonLength(before, after) - Math.floor(length / 4), last)
    return mapValues({ ...change }, (value) => cutValue(value, Math.max(0, from), length))
  })

/** Returns a part of the JSON text of a value, or the value if that is all of it. @param length - Characters. */
function cutValue(value: unknown, from: number, length = Infinity): unknown {
  const text = textOf(value)
  if (from === 0 && text.length <= length) return value
  const end = from + length
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`
}

const textOf = (value: unknown = ''): string => (typeof value === 'string' ? value : JSON.stringify(value))

function commonLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
