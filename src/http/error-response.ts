/** Error responses. The only module that knows the shape of an error body. */
import type { OperationResponse, Violation } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'

/** Creates the body of an error response: the contract's Error. */
export const errorBody = (status: number, message: string): object => ({ error: status, message })

/** Tells whether a response is an error from `errors.ts`. Its body may quote the request. */
export const isErrorResponse = ({ headers }: OperationResponse): boolean => headers['x-error-code'] !== undefined

/** Creates the response of an error. @param status - Default: the error's own. */
export function errorResponse(error: DoubleError, status: number = error.status): OperationResponse {
  const { code, headers, message } = error
  return {
    status,
    headers: { ...headers, 'x-error-code': code },
    mediaType: 'application/json',
    body: errorBody(status, message),
  }
}

/** Creates the violation of an error. @param location - The place in the request. */
export function violationOf({ code, message, status }: DoubleError, location: readonly string[]): Violation {
  // A wrong credential is only a warning: apps send one when they test a login.
  return { location, severity: status === 401 ? 'Warning' : 'Error', code, message }
}
