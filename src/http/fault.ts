/** Applies what was ordered to go wrong. */
import type { Contract, OperationReply } from '../contract/contract.js'
import { documentedReply } from '../contract/strict.js'
import type { Fault } from '../sandbox/faults.js'
import { delay } from './delay.js'
import type { Way } from './exchange.js'
import { NoReply } from './exchange.js'
import { judge } from './settle.js'

/** Statuses that HTTP allows no body with. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** What holds for every exchange with the service. */
export interface Disturbance {
  /** Waited before each reply, milliseconds. */
  readonly delayMs: number
  /** Aborted when the double stops. */
  readonly stopping: AbortSignal
}

/**
 * Waits where waiting was ordered, and applies the fault that is next. The control plane is spared.
 *
 * @returns The reply, where that is what was ordered. Undefined: the exchange is served.
 * @throws {NoReply} The connection was cut, as ordered, or the client has gone.
 */
export async function disturb(
  { delayMs, stopping }: Disturbance,
  contract: Contract,
  way: Way,
): Promise<OperationReply | undefined> {
  const { exchange, operation } = way
  if (exchange.isControl) return undefined
  if (delayMs > 0) await delay(delayMs, exchange.request.socket, stopping)
  const fault = exchange.sandbox.faults.next(operation.id)
  if (!fault) return undefined
  exchange.fault = fault.id
  if (fault.delayMs > 0) await delay(fault.delayMs, exchange.request.socket, stopping)
  if (fault.disconnect) {
    exchange.response.destroy()
    throw new NoReply(`${fault.id} cut the connection, as asked`)
  }
  return fault.status === null ? undefined : answerWith(fault.status, fault, contract, way)
}

/**
 * Answers with a status. Where it is documented, with a body that the contract allows: an Error where that is one, else one of the
 * spec's examples. Where it is not, that is what was asked for, and so no violation.
 */
async function answerWith(status: number, fault: Fault, contract: Contract, way: Way): Promise<OperationReply> {
  const { exchange, operation } = way
  const body = { error: status, message: `${fault.id} answers with status ${status}, as asked.` }
  const error: OperationReply = { status, headers: {}, mediaType: 'application/json', body }
  if (!documentedReply(operation, status)) {
    exchange.note = `${fault.id}: status ${status} is not documented for ${operation.id}; deliberate, so no violation`
    return bodiless.has(status) ? { ...error, body: undefined } : error
  }
  exchange.note = `${fault.id} answered in place of the service`
  if (contract.checkReply(operation, error).length === 0) return error
  const mocked = await contract.mock(operation, { path: {}, query: '', headers: {} }, { code: status })
  return judge(contract, way, typeof mocked === 'string' ? error : mocked)
}
