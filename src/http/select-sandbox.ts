import type { Sandbox } from '../sandbox/sandbox.js'
import { readCredentials } from './credentials.js'
import { decodePercent } from './normalize-target.js'
import type { AppOptions, RequestContext, Step } from './request-context.js'

/** The header that selects a sandbox, for clients with a fixed base URL. In lower case. */
const sandboxHeader = 'insights-sandbox'

const prefix = '/sandboxes/'

/** Removes the prefix from the URL. A browser at a page of an unknown sandbox is redirected to the list. @throws {DoubleError} `unknown_sandbox`. */
export const selectSandboxByUrlOrHeader: Step = (context, options) => {
  try {
    select(context, options)
    return undefined
  } catch (error) {
    const [, name] = /^\/sandboxes\/([^/]+)\/__admin\/(?:docs)?(?:\?|$)/u.exec(context.koa.url) ?? []
    if (name === undefined || context.koa.accepts('application/json', 'text/html') !== 'text/html') throw error
    context.isControl = true
    const location = `/__admin/#sandboxes?unknown=${name}`
    return { status: 302, headers: { location, vary: 'Accept, Origin' }, mediaType: '', body: undefined }
  }
}

function select(context: RequestContext, { sandboxes }: AppOptions): void {
  const { koa } = context
  const end = koa.url.startsWith(prefix) ? koa.url.indexOf('/', prefix.length) : -1
  const header = context.request.headers[sandboxHeader]
  if (end !== -1) {
    const name = koa.url.slice(prefix.length, end)
    enterSandbox(context, sandboxes.get(decodePercent(name) ?? name))
    context.isPrefixed = true
    koa.url = koa.url.slice(end)
  } else if (header !== undefined) enterSandbox(context, sandboxes.get(String(header)))
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
export function selectSandboxByToken(context: RequestContext, { sandboxes }: AppOptions): undefined {
  if (!sandboxes.hasUniqueTokens || context.isControl || context.sandbox !== sandboxes.root) return
  const credentials = readCredentials(context.request, context.operation.credentialPlaces)
  const [sandbox] = credentials.flat().flatMap(({ token }) => sandboxes.findByToken(token) ?? [])
  if (sandbox) enterSandbox(context, sandbox)
}
