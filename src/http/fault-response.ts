/** Creates the response of a fault. */
import { documentedResponse, hasNoBody } from '../contract/contract.js'
import type { OperationResponse } from '../contract/contract.js'
import type { DoubleError } from '../http-errors.js'
import type { Fault } from '../sandbox/faults.js'
import { createUnknownTokenError } from './authorize-caller.js'
import { errorResponse } from './error-response.js'
import type { RequestContext } from './request-context.js'
import { findResponseViolations, validateResponse } from './validate-response.js'

/**
 * Creates the response of a fault with a status or a body. A response that breaks the contract is deliberate, so the journal has a note about
 * it and no violation. `encodeResponse` adds the header fields of the fault.
 *
 * @param refusal - The error of a bad credential. Undefined: the credential is good.
 */
export async function faultResponse(
  context: RequestContext,
  fault: Fault,
  refusal: DoubleError | undefined,
): Promise<OperationResponse> {
  const { successStatus } = context.operation
  const status = fault.status ?? (hasNoBody(successStatus) ? 200 : successStatus)
  const own = fault.body === undefined ? undefined : ownResponse(fault, status)
  if (status !== 401 || context.operation.security.length === 0)
    return own ? marked(context, fault, own) : standard(context, fault, status)
  const { contract, operation } = context
  const error = refusal?.status === 401 ? refusal : createUnknownTokenError(operation.security)
  const real = errorResponse(error, contract, operation)
  const { 'x-error-code': _code, ...challenge } = real.headers
  return marked(context, fault, own ? { ...own, headers: challenge } : real)
}

/** Creates the response with the body of a fault. A string is sent as it is. */
function ownResponse({ body, headers }: Fault, status: number): OperationResponse {
  const isText = typeof body === 'string'
  const mediaType = headers['content-type'] ?? (isText ? 'text/plain; charset=utf-8' : 'application/json')
  return { status, headers: {}, mediaType, body, ...(isText ? { text: body } : {}) }
}

/** Creates the response of a fault that sets no body: an error if the contract allows it, otherwise an example. */
async function standard(context: RequestContext, fault: Fault, status: number): Promise<OperationResponse> {
  const { contract, operation } = context
  const message = `${fault.id} responds with status ${status}, as requested.`
  const error: OperationResponse = { status, headers: {}, ...contract.errorContent(operation, status, message) }
  const isDocumented = documentedResponse(operation, status) !== undefined
  if (!isDocumented) return marked(context, fault, hasNoBody(status) ? { ...error, body: undefined } : error)
  context.note = `${fault.id} responded instead of the service`
  if (findResponseViolations(context, error).length === 0) return error
  const mocked = await contract.mockResponse(operation, { path: {}, query: '', headers: {} }, { code: status })
  return validateResponse(context, typeof mocked === 'string' ? error : mocked)
}

/** Notes in the journal whether the contract allows the response of a fault. */
function marked(context: RequestContext, fault: Fault, response: OperationResponse): OperationResponse {
  const [violation] = findResponseViolations(context, response)
  context.note = violation
    ? `${fault.id}: ${violation.message.replace(/\.$/u, '')}; deliberate, so not a violation`
    : `${fault.id} responded instead of the service`
  return response
}
