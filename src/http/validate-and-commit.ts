/** The end of the way: the reply is checked, and only then the change is made. */
import { Readable } from 'node:stream'

import type { Contract, OperationResponse } from '../contract/contract.js'
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

/** Has the contract check a reply. @returns The reply, or a 500 in its place that says what is wrong with it. */
export function validateResponse(
  contract: Contract,
  { exchange, operation }: Way,
  reply: OperationResponse,
): OperationResponse {
  const violations = contract.checkResponse(operation, reply.body instanceof Readable ? { ...reply, body: '' } : reply)
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
