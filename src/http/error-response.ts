/** Creates error responses. The contract defines the shape of their bodies. */
import type { Contract, Operation, OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import type { DoubleError } from '../http-errors.js'
import { documentedErrorStatus } from './documented-error-status.js'

/** Tells whether a response is an error from `http-errors.ts`. Its body may quote the request. */
export const isErrorResponse = ({ headers }: OperationResponse): boolean => headers['x-error-code'] !== undefined

/** Creates the response of an error. @param operation - Undefined if the request matches none. */
export function errorResponse(error: DoubleError, contract: Contract, operation?: Operation): OperationResponse {
  const { code, headers, message } = error
  const status = operation ? documentedErrorStatus(operation, error) : error.status
  return {
    status,
    headers: { ...headers, 'x-error-code': code },
    ...contract.errorContent(operation, status, message),
  }
}

/** Creates the violation of an error. @param location - The place in the request. */
export function violationOf({ code, message, status }: DoubleError, location: readonly string[]): Violation {
  // A wrong credential is only a warning: apps send one when they test a login.
  return { location, severity: status === 401 ? 'Warning' : 'Error', code, message }
}
