/** Validates responses against the contract: those of handlers, examples, errors and faults. */
import { Readable } from 'node:stream'

import type { OperationResponse } from '../contract/contract.js'
import { createError } from '../errors.js'
import { errorResponse } from './error-response.js'
import type { RequestContext } from './request-context.js'

/** Validates a response. @returns The response if it is valid, else a 500 that lists the violations. */
export function validateResponse(context: RequestContext, response: OperationResponse): OperationResponse {
  const { contract, operation } = context
  const violations = contract.checkResponse(
    operation,
    response.body instanceof Readable ? { ...response, body: '' } : response,
  )
  context.violations.push(...violations)
  const errors = violations.filter(({ severity }) => severity === 'Error')
  // A 500 keeps its own message, which names the cause.
  if (errors.length === 0 || response.status >= 500) return response
  return errorResponse(
    createError('reply_violation', { operation: operation.id, violations: errors.map(({ message }) => message) }),
  )
}
