/** Injects the faults of a sandbox. */
import type { OperationResponse } from '../contract/contract.js'
import { documentedResponse } from '../contract/validate-response.js'
import type { Fault } from '../sandbox/faults.js'
import type { AppOptions } from './app-options.js'
import { delay } from './delay.js'
import { challengesOf } from './describe-security.js'
import type { RequestContext } from './request-context.js'
import { ConnectionDropped } from './request-context.js'
import { validateResponse } from './validate-response.js'

/** Statuses without a response body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Waits for the delay of the double, and injects the next matching fault. The control plane has no faults.
 *
 * @returns The response of the fault, if it has one.
 * @throws {ConnectionDropped} The fault disconnects, or the client has disconnected.
 */
export async function injectFault(
  context: RequestContext,
  { delayMs, stopping }: AppOptions,
): Promise<OperationResponse | undefined> {
  if (context.isControl) return undefined
  const { socket } = context.request
  if (delayMs > 0) await delay(delayMs, socket, stopping)
  const fault = context.sandbox.faults.next(context.operation.id)
  if (!fault) return undefined
  context.fault = fault.id
  if (fault.delayMs > 0) await delay(fault.delayMs, socket, stopping)
  if (fault.disconnect) {
    context.serverResponse.destroy()
    throw new ConnectionDropped(`${fault.id} closed the connection, as requested`)
  }
  return fault.status === null ? undefined : faultResponse(context, fault, fault.status)
}

/**
 * Creates the response of a fault. A documented status has a body that the contract allows: an error if possible, else an example. An
 * undocumented status is deliberate, so it is not a violation.
 */
async function faultResponse(context: RequestContext, fault: Fault, status: number): Promise<OperationResponse> {
  const { contract, operation } = context
  const message = `${fault.id} responds with status ${status}, as requested.`
  const headers = status === 401 ? { 'www-authenticate': challengesOf(operation.security, false) } : {}
  const error: OperationResponse = { status, headers, ...contract.errorContent(operation, status, message) }
  if (!documentedResponse(operation, status)) {
    context.note = `${fault.id}: status ${status} is not documented for ${operation.id}; deliberate, so not a violation`
    return bodiless.has(status) ? { ...error, body: undefined } : error
  }
  context.note = `${fault.id} responded instead of the service`
  if (contract.checkResponse(operation, error).length === 0) return error
  const mocked = await contract.mockResponse(operation, { path: {}, query: '', headers: {} }, { code: status })
  return validateResponse(context, typeof mocked === 'string' ? error : mocked)
}
