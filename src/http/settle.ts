/** The end of the way: the reply is checked, and only then the change is made. */
import { Readable } from 'node:stream'

import type { Contract, OperationReply } from '../contract/contract.js'
import { failure } from '../errors.js'
import type { Way } from './exchange.js'
import type { Outcome } from './plane.js'
import { errorReply } from './reply.js'

/** Checks the reply, and only then makes the change. */
export async function settle(contract: Contract, way: Way, { commit, note, reply }: Outcome): Promise<OperationReply> {
  way.exchange.note = note
  const judged = judge(contract, way, reply)
  if (judged === reply) await commit?.()
  return judged
}

/** Has the contract check a reply. @returns The reply, or a 500 in its place that says what is wrong with it. */
export function judge(contract: Contract, { exchange, operation }: Way, reply: OperationReply): OperationReply {
  const violations = contract.checkReply(operation, reply.body instanceof Readable ? { ...reply, body: '' } : reply)
  exchange.violations.push(...violations)
  // A 500 says what failed. That the contract has none would say less.
  if (violations.every(({ severity }) => severity === 'Warning') || reply.status >= 500) return reply
  return errorReply(
    failure('reply_violation', {
      operation: operation.id,
      violations: violations.filter(({ severity }) => severity === 'Error').map(({ message }) => message),
    }),
  )
}
