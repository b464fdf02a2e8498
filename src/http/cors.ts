/** The CORS headers of every response. Pages of any origin may read it, errors included. */

/** Creates the CORS headers of a response. @param origin - The Origin header of the request. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { 'access-control-allow-origin': '*', vary: 'Origin' }
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' }
}

/**
 * Lets scripts read every field of a response, also `date`, which Node adds. The wildcard does not apply to requests with credentials.
 *
 * @param headers - All other fields of the response, by lower-case name.
 */
export function exposeHeaders(headers: Record<string, string | number>): void {
  headers['access-control-expose-headers'] = [...Object.keys(headers), 'date'].join(', ')
}
