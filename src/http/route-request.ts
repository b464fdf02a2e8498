/** Routes a request: to a sandbox, to the service or the control plane, and to an operation. */
import { decodePercent } from '../addresses.js'
import type { OperationResponse } from '../contract/contract.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { requestErrorOf } from '../server/client-errors.js'
import { readCredentials, recognizeCaller } from './credentials.js'
import type { Plane, RequestContext, Step } from './request-context.js'
import type { RequestHead } from './request-head.js'
import type { Route } from './router.js'

/** The header that selects a sandbox, for clients with a fixed base URL. In lower case. */
const sandboxHeader = 'insights-sandbox'

/** Removes the prefix from the URL. A browser at a page of an unknown sandbox is redirected to the list. @throws {DoubleError} `unknown_sandbox`. */
export const selectSandboxByUrlOrHeader: Step = (context) => {
  const { koa, options } = context
  const [, name, rest] = /^\/sandboxes\/([^/]*)(\/.*)$/su.exec(koa.url) ?? []
  const header = context.request.headers[sandboxHeader]
  try {
    if (name !== undefined && rest !== undefined) {
      // A dropped sandbox can be read.
      const isForReading = rest.startsWith('/__admin/') && (koa.method === 'GET' || koa.method === 'HEAD')
      enterSandbox(context, options.sandboxes.get(decodePercent(name) ?? name, isForReading))
      context.isPrefixed = true
      koa.url = rest
    } else if (header !== undefined) enterSandbox(context, options.sandboxes.get(String(header)))
    return undefined
  } catch (error) {
    const isPage = name !== '' && /^\/__admin\/(?:docs)?(?:\?|$)/u.test(rest ?? '')
    if (!isPage || koa.accepts('application/json', 'text/html') !== 'text/html') throw error
    context.isControl = true
    const location = `/__admin/#requests?unknown=${name ?? ''}`
    return { status: 302, headers: { location, vary: 'Accept, Origin' }, mediaType: '', body: undefined }
  }
}

/** Sets the sandbox of a request. The sandbox is in use until the response is complete. */
function enterSandbox(context: RequestContext, sandbox: Sandbox): void {
  context.sandbox = sandbox
  sandbox.inUse++
  context.serverResponse.once('close', () => {
    sandbox.inUse--
    sandbox.lastUsed = Date.now()
  })
}

/** Selects the sandbox. The root serves an operation that needs no credential. */
export function selectSandboxByToken(context: RequestContext): undefined {
  const { sandboxes } = context.options
  if (!sandboxes.hasUniqueTokens || context.isControl || context.sandbox !== sandboxes.root) return
  const credentials = context.head.known(readCredentials, context.operation.credentialPlaces)
  const [sandbox] = credentials.flat().flatMap(({ token }) => sandboxes.findByToken(token) ?? [])
  if (sandbox) enterSandbox(context, sandbox)
}

export const selectPlane: Step = (context) => {
  const { url } = context.koa
  context.isControl = /^\/__admin(?:[/?]|$)/u.test(url)
  if (!context.isControl) return void (context.plane = context.options.service().plane)
  if (/^\/__admin(?:\?|$)/u.test(url))
    return { status: 308, headers: { location: `${context.basePath}/__admin/` }, mediaType: '', body: undefined }
  return context.options.control().then((plane) => void (context.plane = plane))
}

/** The last match of each head, with the path and the query below the sandbox and the server path. */
const matches = new WeakMap<RequestHead, { plane: Plane; route: Route; serverPath: string; path: string }>()

/** Matches the operation. An unmatched request stops here. @throws {DoubleError} `unknown_path`, `method_not_allowed`. */
export const matchOperation: Step = (context) => {
  const { head, koa, plane, request } = context
  const match = matches.get(head)
  if (match?.plane !== plane || requestErrorOf(request)) return matchWithRouter(context)
  context.route = match.route
  context.serverPath = match.serverPath
  koa.url = match.path
  return undefined
}

async function matchWithRouter(context: RequestContext): Promise<OperationResponse | undefined> {
  const { head, koa, plane } = context
  const { router } = plane
  context.route = (await router.match(context.koa)) ?? (await matchBelowServer(context))
  const parseError = requestErrorOf(context.request)
  if (parseError) throw parseError
  const { route, serverPath } = context
  if (route) return void matches.set(head, { plane, route, serverPath, path: koa.url })
  const index = router.hasPath(context.koa) ? undefined : rootResponse(context)
  if (index) {
    context.isControl = true
    return index
  }
  // The journal names the caller of a wrong path, too.
  context.caller = head.known(recognizeCaller, plane.contract.operations, context.sandbox.store.committed.callers)
  return router.refuse(context.koa)
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
function rootResponse(context: RequestContext): OperationResponse | undefined {
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
    version: context.options.version,
    console: `${baseUrl}/__admin/`,
    reference: `${baseUrl}/__admin/docs`,
    contract: `${baseUrl}/openapi.json`,
  }
  return { ...json, headers, body }
}
