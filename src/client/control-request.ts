/** Requests of a handle to the control plane, and their responses. Both are plain data, so that they can be sent to another thread. */
import { DoubleError, type ErrorCode } from '../http-errors.js'

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
