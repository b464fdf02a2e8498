/** The options of the Koa application. */
import type { RequestSummary } from '../sandbox/journal-entry.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { KnownSecrets } from './redact-request.js'
import type { ServedPlane } from './request-context.js'

/** The options of `createApp`. */
export interface AppOptions {
  /** The package's version. */
  readonly version: string
  readonly sandboxes: Sandboxes
  /** Returns the plane of the service. A reload of the spec replaces it. */
  readonly service: () => ServedPlane
  /** Returns the control plane, which is loaded on first use. */
  readonly control: () => Promise<ServedPlane>
  /** Delay before each response of the service, milliseconds. */
  readonly delayMs: number
  /** Returns the secrets of every request. */
  readonly secrets: () => KnownSecrets
  /** Called for every request of every sandbox. @param isExpected - True if the sandbox expects violations. */
  readonly onExchange: (entry: RequestSummary, isControl: boolean, isExpected: boolean) => void
  /** Called for every unexpected error, with the id of its request. */
  readonly onFailure: (id: string, error: unknown) => void
  /** Aborted when the double stops. Waits then end, and responses close their connections. */
  readonly stopping: AbortSignal
}
