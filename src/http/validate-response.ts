/** Validates responses against the contract: those of handlers, examples, errors and faults. */
import { Readable } from 'node:stream'

import type { OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import { createError } from '../http-errors.js'
import { errorResponse, isErrorResponse } from './error-response.js'
import type { RequestContext } from './request-context.js'

/** Validates a response. @returns The response if it is valid, else a 500 that lists the violations. */
export function validateResponse(context: RequestContext, response: OperationResponse): OperationResponse {
  const { contract, operation } = context
  const found = contract.checkResponse(
    operation,
    response.body instanceof Readable ? { ...response, body: '' } : response,
  )
  const violations = isErrorResponse(response)
    ? found.map(toWarning)
    : response.status >= 400
      ? found.map(allowUndocumentedStatus)
      : found
  context.violations.push(...violations)
  const errors = violations.filter(({ severity }) => severity === 'Error')
  // A 500 keeps its own message, which names the cause.
  if (errors.length === 0 || response.status >= 500) return response
  const error = createError('reply_violation', {
    operation: operation.id,
    violations: errors.map(({ message }) => message),
  })
  return errorResponse(error, contract, operation)
}

/** Makes a violation a warning: the double could not create a valid body for the error. A 500 would hide the mistake of the client. */
const toWarning = (violation: Violation): Violation => ({ ...violation, severity: 'Warning' })

/** Makes an undocumented status of an error a warning. A 500 would hide the mistake of the client. */
const allowUndocumentedStatus = (violation: Violation): Violation =>
  violation.code === 'undocumented' && violation.location[1] === 'statusCode'
    ? { ...violation, severity: 'Warning' }
    : violation
