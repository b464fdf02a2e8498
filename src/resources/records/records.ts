/**
 * The records of a collection as an immutable value. A change copies one chunk and the list of chunks, and shares the rest.
 */
import { groupBy, type JsonObject } from '../../documents/object.js'

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
  /** The last 1,000 records that were removed since the last reset. */
  readonly removed: readonly NewEntry[]
  /** True if there is at most one record, which documents hold as an object. */
  readonly isSingle: boolean
}

/** Creates the records of a collection. Keys must be unique. */
export function createRecords(
  entries: readonly NewEntry[],
  lastNumber: number,
  isNumberImplied: boolean,
  isSingle = false,
): Records {
  const chunks: Chunk[] = []
  for (let start = 0; start < entries.length; start += maxChunkLength) {
    const part = entries.slice(start, start + maxChunkLength)
    chunks.push(new Chunk(part.map((entry, offset) => ({ ...entry, sequence: start + offset }))))
  }
  const size = entries.length
  const keys = entries.map(({ key }, sequence) => [key, sequence] as const)
  const index = createIndex(keys, size)
  return { size, chunks, index, nextSequence: size, lastNumber, isNumberImplied, removed: [], isSingle }
}

export const findEntry = (records: Records, key: string): Entry | undefined => placeOf(records, key)?.entry

export function* entriesOf({ chunks }: Pick<Records, 'chunks'>): Generator<Entry, void> {
  for (const { entries } of chunks) yield* entries
}

/** Adds a record at the end. Its key must be new. */
export function addEntry(records: Records, entry: NewEntry, lastNumber: number): Records {
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
    index: withKey(records.index, entry.key, sequence, records.size + 1),
    nextSequence: sequence + 1,
    lastNumber,
  }
}

/**
 * Makes the records of some keys as they are in other records: adds, replaces or removes them. An added one stands before the one that
 * follows it there. Costs as much as creating all records for each added one.
 */
export const withEntriesOf = (records: Records, source: Records, keys: readonly string[]): Records =>
  keys.reduce((present, key) => {
    const entry = findEntry(source, key)
    if (!entry) return removeEntry(present, key)
    if (findEntry(present, key)) return replaceEntry(present, key, entry)
    const follower = [...entriesOf(source)].find(
      (each) => each.sequence > entry.sequence && findEntry(present, each.key) !== undefined,
    )
    const all: NewEntry[] = [...entriesOf(present)]
    const position = all.findIndex((each) => each.key === follower?.key)
    if (position === -1) return addEntry(present, entry, present.lastNumber)
    const { isNumberImplied, isSingle, lastNumber, removed } = present
    return { ...createRecords(all.toSpliced(position, 0, entry), lastNumber, isNumberImplied, isSingle), removed }
  }, records)

/** Changes the record that has a key: its content or its access. */
export function replaceEntry(records: Records, key: string, change: Partial<Omit<NewEntry, 'key'>>): Records {
  const place = placeOf(records, key)
  if (!place) return records
  const { at, chunk, entry, offset } = place
  const entries = chunk.entries.with(offset, { ...entry, ...change })
  return { ...records, chunks: records.chunks.with(at, new Chunk(entries, chunk)) }
}

/** Replaces the record with the key of an entry, or adds the entry: a singleton is not stored before the first change. */
export const putEntry = (records: Records, entry: Entry): Records =>
  findEntry(records, entry.key)
    ? replaceEntry(records, entry.key, { record: entry.record })
    : addEntry(records, entry, records.lastNumber)

export function removeEntry(records: Records, key: string): Records {
  const place = placeOf(records, key)
  if (!place) return records
  const { at, chunk, entry, offset } = place
  const entries = chunk.entries.toSpliced(offset, 1)
  const rest = entries.length > 0 ? [new Chunk(entries, chunk)] : []
  const chunks = records.chunks.toSpliced(at, 1, ...rest)
  return {
    ...records,
    size: records.size - 1,
    chunks,
    index: withKey(records.index, key, undefined, records.size - 1),
    isNumberImplied: records.lastNumber === 0,
    removed: withRemoved(records.removed, [entry]),
  }
}

function placeOf({ chunks, index }: Records, key: string) {
  const sequence = index[bucketOf(index, key)]?.get(key)
  if (sequence === undefined) return undefined
  let at = 0
  let last = chunks.length - 1
  while (at < last) {
    const middle = Math.ceil((at + last) / 2)
    if ((chunks[middle]?.entries[0]?.sequence ?? 0) <= sequence) at = middle
    else last = middle - 1
  }
  const chunk = chunks[at]
  const offset = chunk?.entries.findIndex((each) => each.sequence === sequence) ?? -1
  const entry = chunk?.entries[offset]
  return chunk && entry && { at, chunk, entry, offset }
}

const maxChunkLength = 64

/** The text between two lines. No line contains it, because JSON escapes line feeds. */
const separator = ',\n'

/** Some records, in order. Immutable; computed values are kept. */
export class Chunk {
  readonly entries: readonly Entry[]
  #bytes: Buffer | undefined
  /** The last chunk before this one that has its bytes. */
  #earlier: Chunk | undefined
  #isOpen: boolean | undefined
  #visible: Map<string | undefined, readonly Entry[]> | undefined
  #having: Map<string, ReadonlyMap<unknown, readonly Entry[]>> | undefined

  /** @param earlier - The chunk that this one replaces. Undefined: it is new. */
  constructor(entries: readonly Entry[], earlier?: Chunk) {
    this.entries = entries
    this.#earlier = earlier && (earlier.#bytes ? earlier : earlier.#earlier)
  }

  /** The lines of the records in a document. The bytes must not be changed. */
  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.#lines().join(separator)))
  }

  /** Takes the lines of records that did not change from the earlier chunk: creating them takes most of the time of a small save. */
  #lines(): readonly string[] {
    const earlier = this.#earlier
    if (!earlier) return this.entries.map(entryText)
    this.#earlier = undefined
    const lines = earlier.bytes.toString().split(separator)
    return this.entries.map((entry, at) => (entry === earlier.entries[at] && lines[at]) || entryText(entry))
  }

  get isOpen(): boolean {
    return (this.#isOpen ??= this.entries.every(({ access }) => access === undefined))
  }

  /** Returns the records that a caller has access to. @param caller - Undefined: a request without a credential. */
  visibleTo(caller: string | undefined): readonly Entry[] {
    this.#visible ??= new Map()
    let visible = this.#visible.get(caller)
    if (!visible) {
      const found = this.entries.filter((entry) => hasAccess(entry, caller))
      visible = found.length === this.entries.length ? this.entries : found
      this.#visible.set(caller, visible)
    }
    return visible
  }

  /** Returns the records that have a property, by its value. @param isInParents - True if the property is in `$parents`. */
  having(property: string, isInParents = false): ReadonlyMap<unknown, readonly Entry[]> {
    this.#having ??= new Map()
    const name = `${isInParents ? '$' : '.'}${property}`
    const known = this.#having.get(name)
    if (known) return known
    const holderOf = ({ parents = {}, record }: Entry): JsonObject => (isInParents ? parents : record)
    const holding = this.entries.filter((entry) => Object.hasOwn(holderOf(entry), property))
    const having = groupBy(holding, (entry) => holderOf(entry)[property])
    this.#having.set(name, having)
    return having
  }
}

/** Tells whether a caller has access to a record. @param caller - A caller's name, or `*` for everyone. Undefined: a request without a credential. */
export const hasAccess = ({ access }: Entry, caller: string | undefined): boolean =>
  access === undefined || caller === '*' || (caller !== undefined && access.includes(caller))

export interface Entry {
  /** The key of the record: its id as text, and its parents if it has any. */
  readonly key: string
  /** The place in the order: ascending, with gaps. */
  readonly sequence: number
  /** Deeply frozen. */
  readonly record: JsonObject
  /** Names of callers. Undefined: every caller. */
  readonly access: readonly string[] | undefined
  /** Values of path parameters that are not properties of the record. */
  readonly parents: JsonObject | undefined
}

export type NewEntry = Omit<Entry, 'sequence'>

/** The key of an id that no property of the record is. It is kept in the record, and never sent. */
export const outsideId = '$id'

/** Keys of a record in a document that belong to the double. */
export const recordKeys = ['$access', '$parents', outsideId] as const

export const entryDocument = ({ record, access, parents }: NewEntry): Readonly<Record<string, unknown>> =>
  access === undefined && parents === undefined
    ? record
    : {
        ...record,
        ...(access === undefined ? {} : { $access: access }),
        ...(parents === undefined ? {} : { $parents: parents }),
      }

const entryText = (entry: Entry): string => `    ${JSON.stringify(entryDocument(entry))}`

/** Sequence numbers of records by key, in maps by the hash of the key. A change copies one of these maps, and the list of them. */
type IdIndex = readonly ReadonlyMap<string, number>[]

const maxBucketSize = 64

/** @param size - The number of keys. */
function createIndex(keys: Iterable<readonly [key: string, sequence: number]>, size: number): IdIndex {
  const index = Array.from({ length: Math.ceil((2 * size) / maxBucketSize) || 1 }, () => new Map<string, number>())
  for (const [key, sequence] of keys) index[bucketOf(index, key)]?.set(key, sequence)
  return index
}

/** By FNV-1a. */
function bucketOf({ length }: IdIndex, key: string): number {
  let hash = 0x811c9dc5
  if (length > 1) for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % length
}

/** Sets the number of a key, or removes the key. @param size - The number of keys afterwards. */
function withKey(index: IdIndex, key: string, value: number | undefined, size: number): IdIndex {
  const at = bucketOf(index, key)
  const bucket = new Map(index[at])
  if (value === undefined) bucket.delete(key)
  else bucket.set(key, value)
  const changed = index.with(at, bucket)
  return size <= index.length * maxBucketSize
    ? changed
    : createIndex(
        changed.flatMap((each) => [...each]),
        size,
      )
}

const maxRemoved = 1000

export const withRemoved = (removed: readonly NewEntry[], entries: readonly NewEntry[]): readonly NewEntry[] =>
  [...removed, ...entries].slice(-maxRemoved)

/** Finds the record that had a key when it was last removed. */
export const findRemoved = ({ removed }: Records, key: string): NewEntry | undefined =>
  removed.findLast((entry) => entry.key === key)

/** Brings a record back: as it was when it was removed, at its place in other records or at the end; or, if it is there, as it is in those. */
export function restoreEntry(records: Records, source: Records, key: string): Records {
  const removed = findEntry(records, key) ? undefined : findRemoved(records, key)
  const restored = withEntriesOf(records, source, [key])
  if (!removed) return restored
  const { access, parents, record } = removed
  return findEntry(restored, key)
    ? replaceEntry(restored, key, { access, parents, record })
    : addEntry(restored, removed, restored.lastNumber)
}

export const noRecords: Records = createRecords([], 0, true)
