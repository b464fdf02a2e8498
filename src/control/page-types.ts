/** The response bodies of the control plane that the console alone uses. */
import type { RecordChanges } from '../resources/records/diff-types.js'
import type { RequestSummary } from '../sandbox/journal-entry.js'

/** A request in brief: its target has at most 200 characters. */
export interface RequestLine extends Omit<
  RequestSummary,
  'note' | 'preference' | 'sandbox' | 'variations' | 'violations'
> {
  /** Number of warnings. */
  readonly warnings: number
}

/** The response body of `GET /__admin/request-lines`. */
export interface RequestLines {
  /** Newest first. */
  readonly lines: readonly RequestLine[]
  /** Number of requests in the journal. */
  readonly total: number
  /** Number of requests that the journal has dropped. */
  readonly evicted: number
}

/** A request that a page can send again. */
export interface Replay {
  readonly method: string
  /** Relative to the origin. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A record, as a fixture has it. */
export interface StoredRecord {
  /** The name of the record in a diff: its id, with its parents if it has any. */
  readonly key: string
  /** The record with `$access` and `$parents`. */
  readonly record: Readonly<Record<string, unknown>>
  /** The version of the record. Every change of the record changes it. */
  readonly version: string
}

/** The response body of `GET /__admin/records`. */
export interface RecordPage {
  /** Number of records in the collection. */
  readonly total: number
  /** Number of records that match the filter. */
  readonly matched: number
  readonly records: readonly ListedRecord[]
}

/** A record, and its change since the last reset or the last replacement of the state. */
export interface ListedRecord extends Omit<StoredRecord, 'version'> {
  readonly added?: true
  readonly changed?: RecordChanges
}
