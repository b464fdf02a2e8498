import type { OperationResponse } from '../contract/contract.js'
import { DoubleError, createError } from '../http-errors.js'
import { type EncodedResponse, encodeUnsendable } from './encode-response.js'
import { errorResponse, violationOf } from './error-response.js'
import { createRedaction, type Redaction } from './redact-request.js'
import { type AppOptions, ConnectionDropped, type RequestContext } from './request-context.js'
import { validateResponse } from './validate-response.js'

/** The response is validated like any other of the operation. @returns Undefined if the connection was dropped. */
export function toErrorResponse(
  context: RequestContext,
  thrown: unknown,
  options: AppOptions,
): OperationResponse | undefined {
  if (thrown instanceof ConnectionDropped) {
    context.note = thrown.message
    return undefined
  }
  const error = reportError(context, thrown, options)
  // The contract does not apply to an incomplete request.
  const isUnread = error.code === 'request_timeout' || error.code === 'malformed_http'
  if (!context.route || isUnread)
    return errorResponse(error, context.isControl ? context.contract : options.service().contract)
  return validateResponse(context, errorResponse(error, context.contract, context.operation))
}

export const encodeFailure = (
  context: RequestContext,
  thrown: unknown,
  redaction: Redaction,
  options: AppOptions,
): EncodedResponse =>
  encodeUnsendable(context, errorResponse(reportError(context, thrown, options), options.service().contract), redaction)

/** Converts a thrown value to an error from `http-errors.ts`. Adds its violation and its note to the context, and logs it if it is unexpected. */
function reportError(context: RequestContext, thrown: unknown, options: AppOptions): DoubleError {
  const error = thrown instanceof DoubleError ? thrown : createError('internal', { id: context.id }, { cause: thrown })
  if (error.status === 500) options.onFailure(context.id, createRedaction(context, options).error(error.cause ?? error))
  if (error.note !== undefined) context.note = error.note
  if (error.location) context.violations.push(violationOf(error, error.location))
  return error
}
