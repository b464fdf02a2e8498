/** Matches a request to an operation of its plane's contract. */
import type { OperationResponse } from '../contract/contract.js'
import { requestErrorOf } from '../server/client-errors.js'
import type { AppOptions } from './app-options.js'
import type { RequestContext } from './request-context.js'
import type { Route } from './router.js'
import { rootResponse } from './serve-root.js'

/** Matches the operation. An unmatched request stops here. @throws {DoubleError} `unknown_path`, `method_not_allowed`. */
export async function matchOperation(
  context: RequestContext,
  { version }: AppOptions,
): Promise<OperationResponse | undefined> {
  const { router } = context.plane
  context.route = (await router.match(context.koa)) ?? (await matchBelowServer(context))
  const parseError = requestErrorOf(context.request)
  if (parseError) throw parseError
  if (context.route) return undefined
  const index = router.hasPath(context.koa) ? undefined : rootResponse(context, version)
  if (index) context.isControl = true
  return index ?? router.refuse(context.koa)
}

/** Matches a request below a base path of the contract's servers. The contract's own paths come first. */
async function matchBelowServer(context: RequestContext): Promise<Route | undefined> {
  const { contract, koa, plane } = context
  const { url } = koa
  for (const basePath of contract.basePaths) {
    if (!url.startsWith(`${basePath}/`)) continue
    koa.url = url.slice(basePath.length)
    const route = await plane.router.match(koa)
    if (route) context.serverPath = basePath
    // A path with another method is refused below the base path too.
    if (route || plane.router.hasPath(koa)) return route
    koa.url = url
  }
  return undefined
}
