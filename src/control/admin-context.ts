/** What the control plane is made of: what its handlers are given, and what they answer. */
import type { Contract, Json } from '../contract/contract.js'
import type { Service } from '../contract/load-service.js'
import type { CollectionDiff } from '../resources/records/diff.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { FixtureLibrary } from '../state/fixture-library.js'
import type { EventStreams } from './event-streams.js'

/** The double, as its control plane sees it. */
export interface AdminContext {
  /** The package's version. */
  readonly version: string
  /** When it began to serve, by the clock of `performance.now()`. */
  readonly startedAt: number
  readonly sandboxes: Sandboxes
  readonly library: FixtureLibrary
  /** The service as it is now. */
  readonly service: () => Service
  /** The contract of the control plane. */
  readonly control: () => Contract
  readonly eventStreams: EventStreams
  /** Aborted when the double stops. Whoever waits stops waiting. */
  readonly stopping: AbortSignal
}

/** A control request that the contract allows. */
export interface AdminRequest {
  readonly double: AdminContext
  /** The sandbox it is about. */
  readonly sandbox: Sandbox
  /** Where the double was reached, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  /** By name. The contract of the control plane has no arrays or objects among them. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly body: Json | undefined
  /** Gives a signal that is aborted when the client goes away, or the double stops. For whoever waits. */
  readonly clientSignal: () => AbortSignal
}

/** What a control handler answers. Nothing is changed until `commit`. */
interface ControlAnswer {
  /** Undefined: there is no body. */
  readonly body?: unknown
  /** Default: `application/json`. */
  readonly mediaType?: string
  /** The JSON text of the body, where it is known. Default: made of the body. */
  readonly text?: string
  /** Makes the change. */
  readonly commit?: () => Promise<void> | void
}

/** Serves one operation of the control plane. */
export type AdminHandler = (input: AdminRequest) => ControlAnswer | Promise<ControlAnswer>

/** What `GET /__admin/requests` answers. */
export interface RequestListing {
  /** The entries that match, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** How many match. */
  readonly matched: number
  /** How many entries were dropped since the journal was last cleared. Where it is not 0, the listing may lack some. */
  readonly evicted: number
  /** Whether at least as many match as were asked for. */
  readonly satisfied: boolean
}

/** Numbers of records by the name of their collection. */
export type RecordCounts = Readonly<Record<string, number>>

/** What changed since the last reset or the last replacement of the state. */
export interface StateDiff {
  /** The fixture of that reset. Null: an inline document. */
  readonly fixture: string | null
  readonly collections: Readonly<Record<string, CollectionDiff>>
}

/** What `GET /__admin/fixtures` says of a fixture. */
export interface FixtureSummary {
  readonly name: string
  readonly description?: string
  /** How many it has. Absent where the file is wrong. */
  readonly callers?: number
  /** Records by collection. Absent where the file is wrong. */
  readonly collections?: RecordCounts
  /** What is wrong with the file. Absent where nothing is. */
  readonly problems?: readonly string[]
}

/** What the control plane says of a sandbox. */
export interface SandboxSummary {
  readonly name: string
  /** Its base URL. */
  readonly url: string
  /** The fixture of its last reset. Null: an inline document. */
  readonly fixture: string | null
  /** Whether its violations are meant, and are no reason to fail a run. */
  readonly expectViolations: boolean
  /** How many records it holds, by collection. */
  readonly collections: RecordCounts
  /** For how long nothing was asked of it, milliseconds. */
  readonly idleMs: number
}

/** What `POST /__admin/reset` answers. */
export interface ResetSummary {
  /** The fixture that was gone back to. Null: an inline document. */
  readonly fixture: string | null
  /** How many records it has, by collection. */
  readonly collections: RecordCounts
}
