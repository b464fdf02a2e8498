/** A page of the records of a collection: filtered, sorted and cut. */
import type { JsonObject } from '../documents/object.js'
import type { RecordChanges } from '../resources/records/diff-types.js'
import { changesSince } from '../resources/records/diff.js'
import { entryDocument, hasAccess, entriesOf } from '../resources/records/records.js'
import type { Entry, Records } from '../resources/records/records.js'
import { cutChanges, cutRecord } from './cut-long-values.js'

/** The query for a page of records. */
export interface RecordQuery {
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
export interface RecordPage {
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
export function selectRecords(records: Records, baseline: Records, query: RecordQuery): RecordPage {
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
