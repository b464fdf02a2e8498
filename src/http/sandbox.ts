/** Picks the sandbox of a request: by its base URL, or by a header on a root URL. */
import type { Context } from 'koa'

import { failure } from '../errors.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'

/** The header that picks a sandbox where the base URL is fixed, as in an app under test. In lower case. */
export const sandboxHeader = 'insights-sandbox'

const prefix = '/sandboxes/'

/**
 * Picks the sandbox, and takes its part out of the URL.
 *
 * @throws {DoubleError} `unknown_sandbox`.
 */
export function pickSandbox(ctx: Context, sandboxes: Sandboxes): Sandbox {
  const { url } = ctx
  if (url.startsWith(prefix)) {
    const end = url.indexOf('/', prefix.length)
    if (end !== -1) {
      const sandbox = sandboxes.get(decode(url.slice(prefix.length, end)))
      ctx.url = url.slice(end)
      return sandbox
    }
  }
  const name = ctx.req.headers[sandboxHeader]
  return name === undefined ? sandboxes.root : sandboxes.get(String(name))
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw failure('unknown_sandbox', { name })
  }
}
