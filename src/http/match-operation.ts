/** Matches a request to an operation of its plane's contract. */
import type { OperationResponse } from '../contract/contract.js'
import { requestErrorOf } from '../server/client-errors.js'
import type { AppOptions } from './app-options.js'
import type { RequestContext } from './request-context.js'
import { rootResponse } from './serve-root.js'

/** Matches the operation. An unmatched request stops here. @throws {DoubleError} `unknown_path`, `method_not_allowed`. */
export async function matchOperation(
  context: RequestContext,
  { version }: AppOptions,
): Promise<OperationResponse | undefined> {
  const { router } = context.plane
  context.route = await router.match(context.koa)
  const parseError = requestErrorOf(context.request)
  if (parseError) throw parseError
  if (context.route) return undefined
  const index = router.hasPath(context.koa) ? undefined : rootResponse(context, version)
  if (index) context.isControl = true
  return index ?? router.refuse(context.koa)
}
