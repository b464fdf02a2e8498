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
interface AdminParameters
  extends
    JournalFilter,
    Partial<Readonly<Record<'allRuns' | 'changes' | 'consumed', boolean>>>,
    Partial<Readonly<Record<'atLeast' | 'cutAt' | 'limit' | 'offset' | 'withinMs', number>>>,
    Partial<Readonly<Record<'collection' | 'field' | 'file' | 'key' | 'Last-Event-ID', string>>>,
    Partial<Readonly<Record<'name' | 'q' | 'sort' | 'version', string>>> {
  readonly as?: 'curl' | 'fault' | 'fetch' | 'playwright' | 'replay' | 'vitest'
  readonly contract?: 'control' | 'service'
  readonly format?: 'json' | 'yaml'
  readonly order?: 'asc' | 'desc'
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
