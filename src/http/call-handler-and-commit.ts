/** Calls the handler of an operation, validates its response and commits its change. */
import type { OperationResponse } from '../contract/contract.js'
import type { RequestContext } from './request-context.js'
import { validateAndCommit } from './validate-and-commit.js'

/** Calls the handler. @throws {DoubleError} The error of the handler. */
export function callHandlerAndCommit(context: RequestContext): Promise<OperationResponse> {
  const result = context.plane.handle(context)
  // Do not await a synchronous result: another request could run before the commit.
  return result instanceof Promise
    ? result.then((awaited) => validateAndCommit(context, typeof awaited === 'function' ? awaited() : awaited))
    : validateAndCommit(context, result)
}
