/** Applies what was ordered to go wrong. */
import type { Contract, OperationResponse } from '../contract/contract.js'
import { documentedResponse } from '../contract/response-rules.js'
import type { Fault } from '../sandbox/faults.js'
import { delay } from './delay.js'
import type { Way } from './request-context.js'
import { ConnectionDropped } from './request-context.js'
import { validateResponse } from './validate-and-commit.js'

/** Statuses that HTTP allows no body with. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** What holds for every exchange with the service. */
export interface FaultOptions {
  /** Waited before each reply, milliseconds. */
  readonly delayMs: number
  /** Aborted when the double stops. */
  readonly stopping: AbortSignal
}

/**
 * Waits where waiting was ordered, and applies the fault that is next. The control plane is spared.
 *
 * @returns The reply, where that is what was ordered. Undefined: the exchange is served.
 * @throws {ConnectionDropped} The connection was cut, as ordered, or the client has gone.
 */
export async function injectFault(
  { delayMs, stopping }: FaultOptions,
  contract: Contract,
  way: Way,
): Promise<OperationResponse | undefined> {
  const { exchange, operation } = way
  if (exchange.isControl) return undefined
  if (delayMs > 0) await delay(delayMs, exchange.request.socket, stopping)
  const fault = exchange.sandbox.faults.next(operation.id)
  if (!fault) return undefined
  exchange.fault = fault.id
  if (fault.delayMs > 0) await delay(fault.delayMs, exchange.request.socket, stopping)
  if (fault.disconnect) {
    exchange.response.destroy()
    throw new ConnectionDropped(`${fault.id} cut the connection, as asked`)
  }
  return fault.status === null ? undefined : answerWith(fault.status, fault, contract, way)
}

/**
 * Answers with a status. Where it is documented, with a body that the contract allows: an Error where that is one, else one of the
 * spec's examples. Where it is not, that is what was asked for, and so no violation.
 */
async function answerWith(status: number, fault: Fault, contract: Contract, way: Way): Promise<OperationResponse> {
  const { exchange, operation } = way
  const body = { error: status, message: `${fault.id} answers with status ${status}, as asked.` }
  const error: OperationResponse = { status, headers: {}, mediaType: 'application/json', body }
  if (!documentedResponse(operation, status)) {
    exchange.note = `${fault.id}: status ${status} is not documented for ${operation.id}; deliberate, so no violation`
    return bodiless.has(status) ? { ...error, body: undefined } : error
  }
  exchange.note = `${fault.id} answered in place of the service`
  if (contract.checkResponse(operation, error).length === 0) return error
  const mocked = await contract.mockResponse(operation, { path: {}, query: '', headers: {} }, { code: status })
  return validateResponse(contract, way, typeof mocked === 'string' ? error : mocked)
}
