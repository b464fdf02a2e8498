/** The messages between a handle and the worker thread. Each is a JSON text: objects of one realm would fail the equality checks of another. */
import type { DoubleOptions } from '../options.js'
import type { ControlRequest } from './control-request-types.js'
import type { SerializedError } from './serialized-error.js'

/** A call of the worker. It has exactly one of these properties. */
export interface WorkerCall {
  /** Starts a double. The result is the URL of the double. */
  readonly start?: DoubleOptions
  /** Stops the double of this URL. */
  readonly stop?: string
  /** Sends a request. The result is a `ControlResponse`. */
  readonly send?: ControlRequest
}

/** A call, with the number of its answer. */
export interface NumberedCall extends WorkerCall {
  readonly id: number
}

/** The answer to a call. */
export interface WorkerAnswer {
  readonly id: number
  readonly result?: unknown
  readonly failure?: SerializedError
}
