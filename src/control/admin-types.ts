/** The types of the control plane: the input and output of its handlers, and its response bodies. */
import type { Contract, Json } from '../contract/contract.js'
import type { Service } from '../contract/load-service.js'
import type { CollectionDiff } from '../resources/records/diff.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { FixtureLibrary } from '../state/fixture-library.js'
import type { EventStreams } from './event-streams.js'

/** The parts of a double that the control plane uses. */
export interface AdminContext {
  /** The package's version. */
  readonly version: string
  /** Time of the start, by the clock of `performance.now()`. */
  readonly startedAt: number
  readonly sandboxes: Sandboxes
  readonly library: FixtureLibrary
  /** Returns the current service. A reload replaces it. */
  readonly service: () => Service
  /** Returns the contract of the control plane. */
  readonly control: () => Contract
  readonly eventStreams: EventStreams
  /** Aborted when the double stops. It ends all waits. */
  readonly stopping: AbortSignal
}

/** A valid request to the control plane. */
export interface AdminRequest {
  readonly double: AdminContext
  /** The sandbox of the request. */
  readonly sandbox: Sandbox
  /** The origin of the request URL, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  /** Parameters by name. The contract of the control plane has no array or object parameters. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly body: Json | undefined
  /** Creates a signal that is aborted when the client disconnects or the double stops. For handlers that wait. */
  readonly clientSignal: () => AbortSignal
}

/** The result of a handler. Nothing is changed before `commit`. */
interface AdminResponse {
  /** Undefined: no body. */
  readonly body?: unknown
  /** Default: `application/json`. */
  readonly mediaType?: string
  /** The JSON text of the body. Default: serialized from `body`. */
  readonly text?: string
  /** Commits the change. Undefined: no change. */
  readonly commit?: () => Promise<void> | void
}

/** Handles an operation of the control plane. */
export type AdminHandler = (input: AdminRequest) => AdminResponse | Promise<AdminResponse>

/** The response body of `GET /__admin/requests`. */
export interface RequestListing {
  /** The matching entries, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** Number of matching entries. */
  readonly matched: number
  /** Number of entries that were dropped since the journal was last cleared. If it is not 0, matching entries may be missing. */
  readonly evicted: number
  /** True if at least `atLeast` entries match. */
  readonly satisfied: boolean
}

/** Number of records by collection. */
export type RecordCounts = Readonly<Record<string, number>>

/** The changes since the last reset or the last replacement of the state. */
export interface StateDiff {
  /** The fixture of that reset. Null: an inline fixture. */
  readonly fixture: string | null
  readonly collections: Readonly<Record<string, CollectionDiff>>
}

/** A fixture in the response body of `GET /__admin/fixtures`. */
export interface FixtureSummary {
  readonly name: string
  readonly description?: string
  /** Number of callers. Missing if the file is invalid. */
  readonly callers?: number
  /** Number of records by collection. Missing if the file is invalid. */
  readonly collections?: RecordCounts
  /** The problems of the file. Missing if it is valid. */
  readonly problems?: readonly string[]
}

/** A sandbox in the response bodies of the control plane. */
export interface SandboxSummary {
  readonly name: string
  /** Its base URL. */
  readonly url: string
  /** The fixture of its last reset. Null: an inline fixture. */
  readonly fixture: string | null
  /** True if violations are expected. They then do not fail a run. */
  readonly expectViolations: boolean
  /** Number of records by collection. */
  readonly collections: RecordCounts
  /** Time since its last request, milliseconds. */
  readonly idleMs: number
}

/** The response body of `POST /__admin/reset`. */
export interface ResetSummary {
  /** The fixture of the reset. Null: an inline fixture. */
  readonly fixture: string | null
  /** Number of its records by collection. */
  readonly collections: RecordCounts
}
