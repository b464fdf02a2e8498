/** The messages between a handle and the worker thread. Each is a JSON text: objects of one realm would fail the equality checks of another. */
import { type Problem, ProblemsError } from '../documents/problem.js'
import type { DoubleOptions } from '../options.js'
import { type ControlRequest, NoResponseError } from './control-request.js'

/** A call of the worker. It has exactly one of these properties. */
export interface WorkerCall {
  /** Starts a double. The result is the URL of the double. */
  readonly start?: DoubleOptions
  readonly stop?: string
  /** Sends a request. The result is a `ControlResponse`. */
  readonly send?: ControlRequest
}

export interface NumberedCall extends WorkerCall {
  readonly id: number
}

export interface WorkerAnswer {
  readonly id: number
  readonly result?: unknown
  readonly failure?: SerializedError
}

/** An error that is sent to another thread, where it is created again. It would lose its class. */
interface SerializedError {
  readonly kind: 'problems' | 'noResponse' | 'type' | 'other'
  readonly message: string
  readonly problems?: readonly Problem[]
  /** The properties of a system error, such as `code` and `syscall`. */
  readonly properties?: Readonly<Record<string, unknown>>
}

export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { kind: 'other', message: String(error) }
  const { message } = error
  if (error instanceof ProblemsError) return { kind: 'problems', message, problems: error.problems }
  if (error instanceof NoResponseError) return { kind: 'noResponse', message }
  const scalars = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return { kind: error instanceof TypeError ? 'type' : 'other', message, properties: Object.fromEntries(scalars) }
}

export function deserializeError({ kind, message, problems = [], properties = {} }: SerializedError): Error {
  if (kind === 'problems') return new ProblemsError(problems)
  if (kind === 'noResponse') return new NoResponseError(message)
  return Object.assign(kind === 'type' ? new TypeError(message) : new Error(message), properties)
}
