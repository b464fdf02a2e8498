import type { Contract, Json } from '../contract/contract.js'
import type { Service } from '../resources/load-service.js'
import type { JournalFilter } from '../sandbox/journal-entry.js'
import type { Sandbox, Sandboxes } from '../sandbox/sandbox.js'
import type { FixtureLibrary } from '../state/fixtures.js'
import type { EventStreams } from './event-streams.js'

export interface AdminContext {
  readonly version: string
  /** Time of the start, by the clock of `performance.now()`. */
  readonly startedAt: number
  readonly sandboxes: Sandboxes
  readonly library: FixtureLibrary
  /** Returns the current service. A reload replaces it. */
  readonly service: () => Service
  readonly control: () => Contract
  readonly eventStreams: EventStreams
  /** Aborted when the double stops. It ends all waits. */
  readonly stopping: AbortSignal
}

/** The parameters of all operations of the control plane, as its contract has them. An operation gets only its own. */
interface AdminParameters extends JournalFilter {
  readonly after?: string
  readonly allRuns?: boolean
  readonly as?: 'curl' | 'fault' | 'fetch' | 'playwright' | 'replay' | 'vitest'
  readonly atLeast?: number
  readonly consumed?: boolean
  readonly changes?: boolean
  readonly collection?: string
  readonly contract?: 'control' | 'service'
  readonly cutAt?: number
  readonly field?: string
  readonly file?: string
  readonly format?: 'json' | 'yaml'
  readonly key?: string
  readonly 'Last-Event-ID'?: string
  readonly limit?: number
  readonly name?: string
  readonly offset?: number
  readonly order?: 'asc' | 'desc'
  readonly q?: string
  readonly replaces?: string
  readonly sort?: string
  readonly version?: string
  readonly withinMs?: number
}

export interface AdminRequest {
  readonly double: AdminContext
  readonly sandbox: Sandbox
  /** The origin of the request URL, such as `http://127.0.0.1:4010`. */
  readonly origin: string
  readonly parameters: AdminParameters
  /** The names of query parameters that the operation does not have. */
  readonly unknownParameters: readonly string[]
  readonly body: Json | undefined
  /** Creates a signal that is aborted when the client disconnects or the double stops. For handlers that wait. */
  readonly clientSignal: () => AbortSignal
}

/** The result of a handler. Nothing is changed before `commit`. */
interface AdminResponse {
  readonly body?: unknown
  /** Default: `application/json`. */
  readonly mediaType?: string
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  /** The JSON text of the body. Default: serialized from `body`. */
  readonly text?: string
  readonly commit?: () => Promise<void> | void
}

export type AdminHandler = (input: AdminRequest) => AdminResponse | Promise<AdminResponse>

/** Handlers by operationId. */
export type AdminHandlers = Readonly<Record<string, AdminHandler>>
