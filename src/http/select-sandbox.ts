/** Picks the sandbox of a request: by its base URL, or by a header on a root URL. */
import type { Middleware } from 'koa'

import { createError } from '../errors.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { RequestContext, ExchangeState } from './request-context.js'

/** The header that picks a sandbox where the base URL is fixed, as in an app under test. In lower case. */
const sandboxHeader = 'insights-sandbox'

const prefix = '/sandboxes/'

/**
 * Picks the sandbox, and takes its part out of the URL.
 *
 * @throws {DoubleError} `unknown_sandbox`.
 */
export function selectSandbox(sandboxes: Sandboxes): Middleware<ExchangeState> {
  return async (ctx, next) => {
    const { url } = ctx
    const { exchange } = ctx.state
    const end = url.startsWith(prefix) ? url.indexOf('/', prefix.length) : -1
    const header = ctx.req.headers[sandboxHeader]
    if (end !== -1) {
      use(exchange, sandboxes.get(decode(url.slice(prefix.length, end))))
      exchange.isPrefixed = true
      ctx.url = url.slice(end)
    } else if (header !== undefined) use(exchange, sandboxes.get(String(header)))
    await next()
  }
}

function use(exchange: RequestContext, sandbox: Sandbox): void {
  exchange.sandbox = sandbox
  sandbox.inUse++
  exchange.response.once('close', () => {
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
