/**
 * The requests of a handle to the control plane, and the messages between it and the worker thread. Each is plain data, sent as a JSON text:
 * objects of one realm would fail the equality checks of another.
 */
import { type Problem, ProblemsError } from '../documents/problem.js'
import { DoubleError, type ErrorCode } from '../http-errors.js'
import type { DoubleOptions } from '../options.js'

export interface ControlRequest {
  readonly method: string
  readonly url: string
  readonly adminToken?: string | undefined
  /** JSON text. */
  readonly body?: string | undefined
}

/** A response, of a double or of another server. */
export interface ControlResponse {
  readonly status: number
  /** True if it has the header `x-request-id`, which every response of a double has. */
  readonly isFromDouble: boolean
  readonly isJson: boolean
  /** The header `x-error-code`. Null if there is none. */
  readonly errorCode: string | null
  readonly text: string
}

/** Sends a request. Rejects with a `NoResponseError` if there is no response. */
export type SendRequest = (request: ControlRequest) => Promise<ControlResponse>

/** The error of a request without a response: nothing listens at the address, or the thread of the double has ended. */
export class NoResponseError extends TypeError {}

/** @returns Text if it is not JSON. @throws {DoubleError} The double responded with an error. @throws {TypeError} Another server responded. */
export function readControlResponse({ url }: ControlRequest, response: ControlResponse): unknown {
  const { errorCode, isFromDouble, isJson, status, text } = response
  if (isFromDouble && status < 400) return isJson ? JSON.parse(text) : text || undefined
  if (!isFromDouble || errorCode === null)
    throw new TypeError(`${url} is not a double: it responded with ${status} ${text.slice(0, 200)}`)
  const { message } = JSON.parse(text) as { message: string }
  throw new DoubleError(errorCode as ErrorCode, message, status)
}

/** Tells whether an error means that a sandbox or its double no longer exists. */
export const isGoneError = (error: unknown): boolean =>
  error instanceof NoResponseError || (error instanceof DoubleError && error.code === 'unknown_sandbox')

/** A call of the worker. It has exactly one of these properties. */
export interface WorkerCall {
  /** Starts a double. The result is the URL of the double. */
  readonly start?: DoubleOptions
  /** Stops the double of this URL. */
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
