import type { OperationResponse } from '../contract/contract.js'
import { requestErrorOf } from '../server/client-errors.js'
import type { RequestContext, Step } from './request-context.js'
import type { Route } from './router.js'

/** Matches the operation. An unmatched request stops here. @throws {DoubleError} `unknown_path`, `method_not_allowed`. */
export const matchOperation: Step = async (context, { version }) => {
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

/** Serves GET and HEAD of `/`, `/openapi.json`, `/openapi.yaml` and `/favicon.ico`. `/` redirects a browser to the console. */
function rootResponse(context: RequestContext, version: string): OperationResponse | undefined {
  const { basePath, baseUrl, contract, koa } = context
  if (koa.method !== 'GET' && koa.method !== 'HEAD') return undefined
  const json = { status: 200, headers: {}, mediaType: 'application/json' }
  if (koa.path === '/openapi.json') return { ...json, body: contract.document }
  if (koa.path === '/openapi.yaml') return { ...json, mediaType: 'application/yaml', body: contract.writeText() }
  const redirect = { status: 302, mediaType: '', body: undefined }
  // Browsers request it for every response that they show.
  if (koa.path === '/favicon.ico') return { ...redirect, headers: { location: `${basePath}/__admin/assets/icon.svg` } }
  if (koa.path !== '/') return undefined
  const headers = { vary: 'Accept, Origin' }
  if (koa.accepts('application/json', 'text/html') === 'text/html')
    return { ...redirect, headers: { ...headers, location: `${basePath}/__admin/` } }
  const body = {
    name: 'insights-double',
    version,
    console: `${baseUrl}/__admin/`,
    reference: `${baseUrl}/__admin/docs`,
    contract: `${baseUrl}/openapi.json`,
  }
  return { ...json, headers, body }
}
