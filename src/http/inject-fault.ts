import { documentedResponse, hasNoBody, type OperationResponse } from '../contract/contract.js'
import { decodeParameters } from '../contract/parameters/decode-parameters.js'
import { attempt } from '../error-message.js'
import { DoubleError } from '../http-errors.js'
import { once } from '../once.js'
import { isEqual } from '../resources/json.js'
import type { Fault, FaultCandidate } from '../sandbox/faults.js'
import { credentialError } from './credentials.js'
import { delay } from './delay.js'
import { errorResponse } from './error-response.js'
import { readBody } from './read-body.js'
import { ConnectionDropped, type RequestContext, type Step } from './request-context.js'
import { operationRequest } from './validate-request.js'
import { findResponseViolations, validateResponse } from './validate-response.js'

/** The control plane has no faults. @returns The response of the fault, if it has one. @throws {ConnectionDropped} By the fault or the client. */
export const injectFault: Step = (context) => {
  const isUnaffected = context.isControl || (context.options.delayMs === 0 && context.sandbox.faults.isEmpty)
  return isUnaffected ? undefined : inject(context)
}

const inject: Step = async (context) => {
  const { delayMs } = context.options
  if (delayMs > 0) await delay(delayMs, context)
  const { faults } = context.sandbox
  if (faults.isEmpty) return undefined
  const refusal = identifyCaller(context)
  const fault = faults.next(candidateOf(context))
  if (!fault) return undefined
  context.fault = fault
  if (fault.delayMs > 0) await delay(fault.delayMs, context)
  if (fault.disconnect) {
    context.serverResponse.destroy()
    throw new ConnectionDropped(`${fault.id} closed the connection, as requested`)
  }
  if (fault.truncate) context.note = `${fault.id} sends half of the body, as requested`
  const hasResponse = fault.status !== null || fault.body !== undefined
  return hasResponse ? respondWithFault(context, fault, refusal) : undefined
}

/** Sets the caller. @returns The error of a bad credential. `authorize` refuses it, unless a fault responds. */
function identifyCaller(context: RequestContext): DoubleError | undefined {
  try {
    context.plane.authorize(context)
    return undefined
  } catch (error) {
    return error instanceof DoubleError ? error : undefined
  }
}

function candidateOf(context: RequestContext): FaultCandidate {
  // A request whose path is not percent-encoded UTF-8 has no parameters.
  const parameters = once(() => attempt(() => decodeParameters(context.operation, operationRequest(context))) ?? [])
  return {
    operation: context.operation.id,
    caller: context.caller?.name,
    hasParameter: (name, value) =>
      parameters().some(({ parameter, text, values }) => {
        if (parameter.name !== name) return false
        return values.some((each) => isEqual(each, value)) || (isScalar(value) && text === String(value))
      }),
  }
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/**
 * A response that breaks the contract is deliberate: a note, no violation. `encodeResponse` adds the header fields of the fault.
 * @param refusal - The error of a bad credential. Undefined: the credential is good.
 */
async function respondWithFault(context: RequestContext, fault: Fault, refusal: DoubleError | undefined) {
  const { contract, operation, request } = context
  if (operation.requestBody) {
    // For the journal. Its errors do not count, because the fault responds.
    const read = readBody(request, operation, (bytes) => (context.requestBytes = bytes))
    context.body = (await read.catch(() => undefined))?.body
  }
  const status = fault.status ?? (hasNoBody(operation.successStatus) ? 200 : operation.successStatus)
  const own = fault.body === undefined ? undefined : ownResponse(fault, status)
  if (status !== 401 || operation.security.length === 0)
    return own ? marked(context, fault, own) : standard(context, fault, status)
  const error = refusal?.status === 401 ? refusal : credentialError('unknown_token', operation.security)
  const real = errorResponse(error, contract, operation, context.occurrence)
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
  const content = contract.errorContent(operation, { ...context.occurrence, status, message })
  const error: OperationResponse = { status, headers: {}, ...content }
  const isDocumented = documentedResponse(operation, status) !== undefined
  if (!isDocumented) return marked(context, fault, hasNoBody(status) ? { ...error, body: undefined } : error)
  context.note = `${fault.id} responded instead of the service`
  if (findResponseViolations(context, error).length === 0) return error
  const mocked = await contract.mockResponse(operation, { code: status })
  return validateResponse(context, typeof mocked === 'string' ? error : mocked)
}

function marked(context: RequestContext, fault: Fault, response: OperationResponse): OperationResponse {
  const [violation] = findResponseViolations(context, response)
  context.note = violation
    ? `${fault.id}: ${violation.message.replace(/\.$/u, '')}; deliberate, so not a violation`
    : `${fault.id} responded instead of the service`
  return response
}
