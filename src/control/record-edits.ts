/** Adds, replaces and removes single records: pure functions from a state to the next one. */
import { createHash } from 'node:crypto'

import { isObject, type JsonObject } from '../documents/object.js'
import { toPointer } from '../documents/pointer.js'
import { createError } from '../http-errors.js'
import { readOneRecord } from '../resources/document/read-records.js'
import { isId, nextId } from '../resources/ids.js'
import { idOf, withId } from '../resources/infer/id-property.js'
import {
  entryDocument,
  entriesOf,
  findEntry,
  insertEntry,
  removeEntry,
  replaceEntry,
} from '../resources/records/records.js'
import type { Entry, NewEntry, Records } from '../resources/records/records.js'
import { recordsOf, type State, withRecords } from '../resources/records/state.js'
import type { Collection } from '../resources/resources.js'

export interface StoredRecord {
  /** The name of the record in a diff: its id, with its parents if it has any. */
  readonly key: string
  /** The record as a fixture has it, with `$access` and `$parents`. */
  readonly record: JsonObject
  /** The version of the record. Every change of the record changes it. */
  readonly version: string
  /** The key of the next record. Null: this is the last one. */
  readonly next: string | null
}

export interface RecordEdit {
  readonly state: State
  readonly stored: StoredRecord
}

/** Finds a record. @throws {DoubleError} `record_not_found`. */
export function findStoredRecord(state: State, { name }: Collection, key: string): StoredRecord {
  return stored(recordsOf(state, name), find(state, name, key))
}

/** @param before - The key of the next record. Default: none. @throws {DoubleError} `invalid_record`, `id_exists`, `no_more_ids`. */
export function addStoredRecord(
  state: State,
  collection: Collection,
  value: unknown,
  before: string | undefined,
): RecordEdit {
  const { model, name, operations } = collection
  const records = recordsOf(state, name)
  const entry = read(state, collection, withNextId(value, collection, records))
  const id = idOf(model, entry.record)
  if (findEntry(records, entry.key))
    throw createError('id_exists', { collection: name, id: String(id), idProperty: model.idProperty })
  const number = operations.has('create') && isId(id) ? (model.ids?.numberOf(id) ?? 0) : 0
  const next = insertEntry(records, entry, before, Math.max(records.lastNumber, number))
  return { state: withRecords(state, name, next), stored: stored(next, entry) }
}

/** @param version - Default: any. @throws {DoubleError} `record_not_found`, `record_changed`, `invalid_record`, `record_renamed`. */
export function replaceStoredRecord(
  state: State,
  collection: Collection,
  key: string,
  value: unknown,
  version: string | undefined,
): RecordEdit {
  const { name } = collection
  ensureVersion(name, find(state, name, key), version)
  const entry = read(state, collection, value)
  if (entry.key !== key) throw createError('record_renamed', { collection: name, key, got: entry.key })
  const { access, parents, record } = entry
  const next = replaceEntry(recordsOf(state, name), key, { access, parents, record })
  return { state: withRecords(state, name, next), stored: stored(next, entry) }
}

/** Removes a record. @param version - That it must have. Default: any. @throws {DoubleError} `record_not_found`, `record_changed`. */
export function removeStoredRecord(
  state: State,
  { name }: Collection,
  key: string,
  version: string | undefined,
): RecordEdit {
  const entry = find(state, name, key)
  ensureVersion(name, entry, version)
  const records = recordsOf(state, name)
  return { state: withRecords(state, name, removeEntry(records, key)), stored: stored(records, entry) }
}

function find(state: State, collection: string, key: string): Entry {
  const entry = findEntry(recordsOf(state, collection), key)
  if (!entry) throw createError('record_not_found', { collection, key })
  return entry
}

function ensureVersion(collection: string, entry: Entry, version: string | undefined): void {
  if (version !== undefined && version !== versionOf(entry))
    throw createError('record_changed', { collection, key: entry.key })
}

function read(state: State, collection: Collection, value: unknown): NewEntry {
  const result = readOneRecord(value, collection, state)
  if ('entry' in result) return result.entry
  throw createError('invalid_record', {
    collection: collection.name,
    validationErrors: result.problems.map(({ hint, message, path }) => `${toPointer(path)} ${message} (${hint})`),
  })
}

/** Adds the next free id to a record without one, if the double can create ids. */
function withNextId(value: unknown, { model, name }: Collection, records: Records): unknown {
  const { ids } = model
  if (!isObject(value) || idOf(model, value) !== undefined || !ids) return value
  const taken = new Set([...entriesOf(records)].map(({ record }) => String(idOf(model, record))))
  const isUsed = (id: number | string): boolean => taken.has(String(id)) || records.removed.includes(String(id))
  const made = nextId(ids, records.lastNumber, isUsed)
  if (!made) throw createError('no_more_ids', { collection: name, operation: 'addRecord' })
  return withId(model, value, made.id)
}

function stored(records: Records, entry: NewEntry): StoredRecord {
  const { sequence } = findEntry(records, entry.key) ?? { sequence: Infinity }
  const chunk = records.chunks.find(({ entries }) => (entries.at(-1)?.sequence ?? -1) > sequence)
  const next = chunk?.entries.find((each) => each.sequence > sequence)?.key ?? null
  return { key: entry.key, record: entryDocument(entry), version: versionOf(entry), next }
}

const versionOf = (entry: NewEntry): string =>
  createHash('sha256')
    .update(JSON.stringify(entryDocument(entry)))
    .digest('hex')
    .slice(0, 16)
