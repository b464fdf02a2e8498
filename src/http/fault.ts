/** Applies a fault to an exchange. */
import type { ServerResponse } from 'node:http'

import type { Context } from 'koa'

import type { Contract, Operation, OperationReply } from '../contract/contract.js'
import { documentedReply } from '../contract/strict.js'
import type { Fault } from '../sandbox/faults.js'
import { delay } from './delay.js'
import type { Exchange, Way } from './exchange.js'

/** Applies what was ordered to go wrong. The control plane is spared. @returns The reply, where that is what was ordered. */
export async function disturb(
  delayMs: number,
  contract: Contract,
  ctx: Context,
  { exchange, operation }: Way,
): Promise<OperationReply | undefined> {
  if (exchange.isControl) return undefined
  await delay(delayMs, ctx.res)
  const fault = exchange.sandbox.faults.next(operation.id)
  return fault && applyFault(fault, exchange, operation, contract, ctx.res)
}

/**
 * Lets a fault have its way with an exchange: waits, cuts the connection, or answers with a status.
 *
 * A documented status is answered with a body the contract allows, taken from the spec's examples where its own is not. An undocumented
 * one is what was asked for, and so no violation.
 *
 * @returns Undefined: the exchange is served, if late.
 */
async function applyFault(
  fault: Fault,
  exchange: Exchange,
  operation: Operation,
  contract: Contract,
  response: ServerResponse,
): Promise<OperationReply | undefined> {
  exchange.fault = fault.id
  await delay(fault.delayMs, response)
  if (fault.disconnect) {
    exchange.disconnected = true
    exchange.note = `${fault.id} cut the connection, as asked`
    response.destroy()
    return { status: 500, headers: {}, mediaType: 'application/json', body: undefined }
  }
  if (fault.status === null) return undefined
  const { status } = fault
  const message = `Fault ${fault.id} answers with status ${status}, as asked.`
  const body = { error: status, message }
  if (!documentedReply(operation, status)) {
    exchange.note = `${fault.id}: status ${status} is not documented for ${operation.id}; deliberate, so no violation`
    const bare = status === 204 || status === 205 || status === 304
    return { status, headers: {}, mediaType: 'application/json', body: bare ? undefined : body }
  }
  exchange.note = `${fault.id} answered in place of the service`
  const own: OperationReply = { status, headers: {}, mediaType: 'application/json', body }
  if (contract.checkReply(operation, own).length === 0) return own
  const mocked = await contract.mock(operation, { path: {}, query: '', headers: {} }, { code: status })
  return typeof mocked === 'string' ? own : mocked
}
