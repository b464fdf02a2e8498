/** Lets pages of any origin read every reply, errors included, and answers their preflights. */
import type { Context } from 'koa'

/** Response headers that scripts may read, beyond those they always may. */
const exposed =
  'Allow, Preference-Applied, Retry-After, WWW-Authenticate, sl-violations, x-double, x-error-code, x-request-id'

/** How long a browser may remember a preflight, seconds. */
const preflightMaxAge = 600

/** The CORS headers of a reply. */
export function corsHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined)
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed, vary: 'Origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': exposed,
    vary: 'Origin',
  }
}

/** Whether a request is a browser's question whether it may ask. It carries no credential. */
export function isPreflight(ctx: Context): boolean {
  const { headers, method } = ctx.req
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Answers a preflight with yes: what the request then is told should be an Error it can read, not a refusal it cannot. */
export function answerPreflight(ctx: Context): void {
  const { headers } = ctx.req
  ctx.status = 204
  ctx.set('access-control-allow-methods', headers['access-control-request-method'] ?? '')
  ctx.set('access-control-allow-headers', headers['access-control-request-headers'] ?? '')
  ctx.set('access-control-max-age', String(preflightMaxAge))
  ctx.vary('Access-Control-Request-Method')
  ctx.vary('Access-Control-Request-Headers')
  if (headers['access-control-request-private-network'] === 'true')
    ctx.set('access-control-allow-private-network', 'true')
}
