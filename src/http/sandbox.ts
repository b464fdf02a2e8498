/** Picks the sandbox of a request: by its base URL, or by a header on a root URL. */
import type { Context } from 'koa'

import { failure } from '../errors.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { Exchange } from './exchange.js'

/** The header that picks a sandbox where the base URL is fixed, as in an app under test. In lower case. */
const sandboxHeader = 'insights-sandbox'

const prefix = '/sandboxes/'

/**
 * Picks the sandbox, and takes its part out of the URL.
 *
 * @throws {DoubleError} `unknown_sandbox`.
 */
export function pickSandbox(ctx: Context, exchange: Exchange, sandboxes: Sandboxes): void {
  const { url } = ctx
  if (url.startsWith(prefix)) {
    const end = url.indexOf('/', prefix.length)
    if (end !== -1) {
      exchange.sandbox = sandboxes.get(decode(url.slice(prefix.length, end)))
      exchange.isPrefixed = true
      ctx.url = url.slice(end)
      return
    }
  }
  const name = ctx.req.headers[sandboxHeader]
  if (name !== undefined) exchange.sandbox = sandboxes.get(String(name))
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw failure('unknown_sandbox', { name })
  }
}
