/** Reads a response of the control plane: its body or its error. */
import type { ErrorCode } from '../http-errors.js'
import { DoubleError } from '../http-errors.js'
import type { ControlRequest, ControlResponse } from './control-request-types.js'
import { NoResponseError } from './no-response-error.js'

/**
 * Reads the body of a response.
 *
 * @returns The parsed body, or its text if it is not JSON. Undefined if there is none.
 * @throws {DoubleError} The double responded with an error.
 * @throws {TypeError} The response is not that of a double.
 */
export function readControlResponse({ url }: ControlRequest, response: ControlResponse): unknown {
  const { errorCode, isFromDouble, isJson, status, text } = response
  if (isFromDouble && status < 400) return isJson ? JSON.parse(text) : text || undefined
  if (!isFromDouble || errorCode === null)
    throw new TypeError(`${url} is not a double: it responded with ${status} ${text.slice(0, 200)}`)
  const { message } = JSON.parse(text) as { message: string }
  throw new DoubleError(errorCode as ErrorCode, message, { status, location: undefined }, {})
}

/** Tells whether an error means that a sandbox or its double no longer exists. */
export const isGoneError = (error: unknown): boolean =>
  error instanceof NoResponseError || (error instanceof DoubleError && error.code === 'unknown_sandbox')
