/** The types of the control plane's handlers: their input and output. */
import type { Contract, Json } from '../contract/contract.js'
import type { Service } from '../contract/load-service.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { FixtureLibrary } from '../state/fixtures.js'
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
  /** The names of query parameters that the operation does not have. */
  readonly unknownParameters: readonly string[]
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
