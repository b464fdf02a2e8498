/** The CORS headers of every response. Pages of any origin may read it, errors included. */

/** Response headers that scripts may read, beyond the CORS-safelisted ones. */
const exposedHeaders =
  'Allow, Preference-Applied, Retry-After, WWW-Authenticate, sl-violations, x-double, x-error-code, x-request-id'

/** Creates the CORS headers of a response. @param origin - The Origin header of the request. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined)
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders, vary: 'Origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': exposedHeaders,
    vary: 'Origin',
  }
}
