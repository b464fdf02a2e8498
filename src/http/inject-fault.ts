/** Injects the faults of a sandbox. */
import type { OperationResponse } from '../contract/contract.js'
import type { PossibleParameterValues } from '../contract/parameters/decode-parameters.js'
import { decodeParameters } from '../contract/parameters/decode-parameters.js'
import { DoubleError } from '../http-errors.js'
import { isEqual } from '../resources/json.js'
import type { Fault, FaultCandidate } from '../sandbox/faults.js'
import type { AppOptions } from './app-options.js'
import { delay } from './delay.js'
import { faultResponse } from './fault-response.js'
import { readBody } from './read-body.js'
import type { RequestContext } from './request-context.js'
import { ConnectionDropped } from './request-context.js'
import { operationRequest } from './validate-request.js'

/**
 * Waits for the delay of the double, identifies the caller, and injects the next matching fault. The control plane has no faults.
 *
 * @returns The response of the fault, if it has one.
 * @throws {ConnectionDropped} The fault disconnects, or the client has disconnected.
 */
export function injectFault(
  context: RequestContext,
  options: AppOptions,
): Promise<OperationResponse | undefined> | undefined {
  const isUnaffected = context.isControl || (options.delayMs === 0 && context.sandbox.faults.isEmpty)
  return isUnaffected ? undefined : inject(context, options)
}

async function inject(
  context: RequestContext,
  { delayMs, stopping }: AppOptions,
): Promise<OperationResponse | undefined> {
  const { socket } = context.request
  if (delayMs > 0) await delay(delayMs, socket, stopping)
  const { faults } = context.sandbox
  if (faults.isEmpty) return undefined
  const refusal = identifyCaller(context)
  const fault = faults.next(candidateOf(context))
  if (!fault) return undefined
  context.fault = fault
  if (fault.delayMs > 0) await delay(fault.delayMs, socket, stopping)
  if (fault.disconnect) {
    context.serverResponse.destroy()
    throw new ConnectionDropped(`${fault.id} closed the connection, as requested`)
  }
  if (fault.truncate) context.note = `${fault.id} sends half of the body, as requested`
  return hasResponse(fault) ? respond(context, fault, refusal) : undefined
}

const hasResponse = ({ body, status }: Fault): boolean => status !== null || body !== undefined

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
  let parameters: readonly PossibleParameterValues[] | undefined
  return {
    operation: context.operation.id,
    caller: context.caller?.name,
    hasParameter: (name, value) => {
      parameters ??= decode(context)
      return parameters.some(({ parameter, text, values }) => {
        if (parameter.name !== name) return false
        return values.some((each) => isEqual(each, value)) || (isScalar(value) && text === String(value))
      })
    },
  }
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Decodes the parameters. A request whose path is not percent-encoded UTF-8 has none. */
function decode(context: RequestContext): readonly PossibleParameterValues[] {
  try {
    return decodeParameters(context.operation, operationRequest(context))
  } catch {
    return []
  }
}

async function respond(
  context: RequestContext,
  fault: Fault,
  refusal: DoubleError | undefined,
): Promise<OperationResponse> {
  const { operation, request } = context
  // Read the body for the journal. Ignore its errors, because the fault responds.
  if (operation.requestBody) {
    const { body } = await readBody(request, operation, (bytes) => (context.requestBytes = bytes)).catch(() => ({
      body: undefined,
    }))
    context.body = body
  }
  return faultResponse(context, fault, refusal)
}
