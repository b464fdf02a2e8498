import type { OperationResponse } from '../contract/contract.js'
import type { OperationResult, RequestContext } from './request-context.js'
import { validateResponse } from './validate-response.js'

/** Calls the handler of an operation, validates its response and commits its change. @throws {DoubleError} The error of the handler. */
export function callHandlerAndCommit(context: RequestContext): Promise<OperationResponse> {
  const result = context.plane.handle(context)
  // Do not await a synchronous result: another request could run before the commit.
  return result instanceof Promise
    ? result.then((awaited) => validateAndCommit(context, typeof awaited === 'function' ? awaited() : awaited))
    : validateAndCommit(context, result)
}

async function validateAndCommit(
  context: RequestContext,
  { commit, note, response }: OperationResult,
): Promise<OperationResponse> {
  context.note = note
  const validated = validateResponse(context, response)
  if (validated === response) await commit?.()
  return validated
}
