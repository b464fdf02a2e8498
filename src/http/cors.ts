/** Lets pages of any origin read every reply, errors included, and answers their preflights. */
import type { IncomingMessage } from 'node:http'

import type { OperationResponse } from '../contract/contract.js'

/** Response headers that scripts may read, beyond those they always may. */
const exposed =
  'Allow, Preference-Applied, Retry-After, WWW-Authenticate, sl-violations, x-double, x-error-code, x-request-id'

/** How long a browser may remember a preflight, seconds. */
const preflightMaxAge = 600

/** The CORS headers of a reply, to add others to. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
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
export function isPreflight({ headers, method }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Answers a preflight with yes: what the request then is told should be an Error it can read, not a refusal it cannot. */
export function preflightResponse({ headers }: IncomingMessage): OperationResponse {
  const allow = {
    'access-control-allow-methods': headers['access-control-request-method'] ?? '',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': String(preflightMaxAge),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  }
  const isPrivate = headers['access-control-request-private-network'] === 'true'
  const headersSent = isPrivate ? { ...allow, 'access-control-allow-private-network': 'true' } : allow
  return { status: 204, headers: headersSent, mediaType: '', body: undefined }
}
