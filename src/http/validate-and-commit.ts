/** The end of the way: the reply is checked, and only then the change is made. */
import { Readable } from 'node:stream'

import type { Contract, OperationResponse, Violation } from '../contract/contract.js'
import { createError } from '../errors.js'
import type { HandlerResult } from './plane.js'
import type { Way } from './request-context.js'
import { errorResponse } from './send-response.js'

/** Checks the reply, and only then makes the change. */
export async function validateAndCommit(
  contract: Contract,
  way: Way,
  { commit, note, response }: HandlerResult,
): Promise<OperationResponse> {
  way.exchange.note = note
  const judged = validateResponse(contract, way, response)
  if (judged === response) await commit?.()
  return judged
}

/** An error that the contract does not document for the operation is sent as it is: a 500 would hide the client's mistake. */
const tolerateUndocumented = (violation: Violation): Violation =>
  violation.code === 'undocumented' && violation.location[1] === 'statusCode'
    ? { ...violation, severity: 'Warning' }
    : violation

/** Has the contract check a reply. @returns The reply, or a 500 in its place that says what is wrong with it. */
export function validateResponse(
  contract: Contract,
  { exchange, operation }: Way,
  reply: OperationResponse,
): OperationResponse {
  const found = contract.checkResponse(operation, reply.body instanceof Readable ? { ...reply, body: '' } : reply)
  const violations = reply.status >= 400 ? found.map(tolerateUndocumented) : found
  exchange.violations.push(...violations)
  // A 500 says what failed. That the contract has none would say less.
  if (violations.every(({ severity }) => severity === 'Warning') || reply.status >= 500) return reply
  return errorResponse(
    createError('reply_violation', {
      operation: operation.id,
      violations: violations.filter(({ severity }) => severity === 'Error').map(({ message }) => message),
    }),
  )
}
