/**
 * The records of a collection as an immutable value. A change copies one chunk and the list of chunks, and shares the rest.
 */
import { Chunk, maxChunkLength } from './chunk.js'
import type { Entry, NewEntry } from './entry.js'
import type { IdIndex } from './id-index.js'
import { createIndex, lookUp, withKey } from './id-index.js'
import type { RemovedKeys } from './removed-keys.js'
import { noneRemoved, withRemoved } from './removed-keys.js'

/** The records of a collection. */
export interface Records {
  readonly size: number
  /** Chunks with at least one record each. */
  readonly chunks: readonly Chunk[]
  readonly index: IdIndex
  readonly nextSequence: number
  /** The highest number in an id since the last reset. 0 if the double does not create ids. */
  readonly lastNumber: number
  /** True if `lastNumber` follows from the records, so that a document need not contain it. */
  readonly isNumberImplied: boolean
  readonly removed: RemovedKeys
}

/** Creates the records of a collection. Keys must be unique. */
export function createRecords(entries: readonly NewEntry[], lastNumber: number, isNumberImplied: boolean): Records {
  const index = new Map<string, number>()
  const chunks: Chunk[] = []
  for (let start = 0; start < entries.length; start += maxChunkLength) {
    const part = entries.slice(start, start + maxChunkLength)
    chunks.push(new Chunk(part.map((entry, offset) => ({ ...entry, sequence: start + offset }))))
    for (const [offset, { key }] of part.entries()) index.set(key, start + offset)
  }
  const size = entries.length
  return {
    size,
    chunks,
    index: createIndex(index),
    nextSequence: size,
    lastNumber,
    isNumberImplied,
    removed: noneRemoved,
  }
}

/** No records. */
export const noRecords: Records = createRecords([], 0, true)

/** Finds a record by its key. */
export function findEntry(records: Records, key: string): Entry | undefined {
  const place = placeOf(records, key)
  return place && records.chunks[place.chunk]?.entries[place.offset]
}

/** Returns all records, in order. */
export function* entriesOf(records: Records): Generator<Entry, void> {
  for (const { entries } of records.chunks) yield* entries
}

/** Adds a record at the end. Its key must be new. */
export function addEntry(records: Records, entry: NewEntry, lastNumber: number = records.lastNumber): Records {
  const { nextSequence: sequence } = records
  const added = { ...entry, sequence }
  const last = records.chunks.at(-1)
  const chunks =
    last && last.entries.length < maxChunkLength
      ? records.chunks.with(records.chunks.length - 1, new Chunk([...last.entries, added], last))
      : [...records.chunks, new Chunk([added])]
  return {
    ...records,
    size: records.size + 1,
    chunks,
    index: withKey(records.index, entry.key, sequence),
    nextSequence: sequence + 1,
    lastNumber,
  }
}

/** Adds a record before the record with a key, or at the end if there is none. Its key must be new. Costs as much as creating all records. */
export function insertEntry(
  records: Records,
  entry: NewEntry,
  before: string | undefined,
  lastNumber: number = records.lastNumber,
): Records {
  const all: NewEntry[] = [...entriesOf(records)]
  const position = before === undefined ? -1 : all.findIndex(({ key }) => key === before)
  if (position === -1) return addEntry(records, entry, lastNumber)
  const { isNumberImplied, removed } = records
  return { ...createRecords(all.toSpliced(position, 0, entry), lastNumber, isNumberImplied), removed }
}

/** Changes the record that has a key: its content or its access. */
export function replaceEntry(records: Records, key: string, change: Partial<Omit<NewEntry, 'key'>>): Records {
  const place = placeOf(records, key)
  const chunk = place && records.chunks[place.chunk]
  const entry = chunk?.entries[place?.offset ?? -1]
  if (!place || !chunk || !entry) return records
  const entries = chunk.entries.with(place.offset, { ...entry, ...change })
  return { ...records, chunks: records.chunks.with(place.chunk, new Chunk(entries, chunk)) }
}

/** Removes a record. */
export function removeEntry(records: Records, key: string): Records {
  const place = placeOf(records, key)
  const chunk = place && records.chunks[place.chunk]
  if (!place || !chunk) return records
  const entries = chunk.entries.toSpliced(place.offset, 1)
  const chunks =
    entries.length > 0
      ? records.chunks.with(place.chunk, new Chunk(entries, chunk))
      : records.chunks.toSpliced(place.chunk, 1)
  return {
    ...records,
    size: records.size - 1,
    chunks,
    index: withKey(records.index, key, undefined),
    isNumberImplied: records.lastNumber === 0,
    removed: withRemoved(records.removed, key),
  }
}

function placeOf(records: Records, key: string): { readonly chunk: number; readonly offset: number } | undefined {
  const sequence = lookUp(records.index, key)
  if (sequence === undefined) return undefined
  const chunk = lastNotAfter(records.chunks.length, (at) => records.chunks[at]?.entries[0]?.sequence ?? 0, sequence)
  const entries = records.chunks[chunk]?.entries ?? []
  return { chunk, offset: lastNotAfter(entries.length, (at) => entries[at]?.sequence ?? 0, sequence) }
}

/** Finds the last of some ascending numbers that is not greater than a given one. */
function lastNotAfter(length: number, numberAt: (at: number) => number, wanted: number): number {
  let low = 0
  let high = length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (numberAt(middle) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
