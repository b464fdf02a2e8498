/** Selects the sandbox of a request: by its base URL, or by a header on a root URL. */
import { createError } from '../errors.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AppOptions } from './app-options.js'
import type { RequestContext } from './request-context.js'

/** The header that selects a sandbox, for clients with a fixed base URL. In lower case. */
const sandboxHeader = 'insights-sandbox'

const prefix = '/sandboxes/'

/** Selects the sandbox, and removes its prefix from the URL. @throws {DoubleError} `unknown_sandbox`. */
export function selectSandbox(context: RequestContext, { sandboxes }: AppOptions): undefined {
  const { koa } = context
  const end = koa.url.startsWith(prefix) ? koa.url.indexOf('/', prefix.length) : -1
  const header = context.request.headers[sandboxHeader]
  if (end !== -1) {
    enter(context, sandboxes.get(decode(koa.url.slice(prefix.length, end))))
    context.isPrefixed = true
    koa.url = koa.url.slice(end)
  } else if (header !== undefined) enter(context, sandboxes.get(String(header)))
}

function enter(context: RequestContext, sandbox: Sandbox): void {
  context.sandbox = sandbox
  sandbox.inUse++
  context.serverResponse.once('close', () => {
    sandbox.inUse--
    sandbox.lastUsed = Date.now()
  })
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw createError('unknown_sandbox', { name })
  }
}
