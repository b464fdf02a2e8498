/** The CORS headers of every response. Pages of any origin may read it, errors included. */

/** Creates the CORS headers of a response. @param origin - The Origin header of the request. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { 'access-control-allow-origin': '*', vary: 'Origin' }
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' }
}

/** The fields that every response names, also if it does not have them. Node adds `Date`. */
const alwaysExposed =
  'Allow, Date, Preference-Applied, Retry-After, WWW-Authenticate, sl-violations, x-double, x-error-code, x-request-id'
const alwaysNames: ReadonlySet<string> = new Set(alwaysExposed.toLowerCase().split(', '))

/**
 * Lets scripts read every field of a response. The wildcard does not apply to requests with credentials.
 *
 * @param headers - All other fields of the response, by lower-case name.
 */
export function exposeHeaders(headers: Record<string, string | number>): void {
  let names = alwaysExposed
  for (const name in headers) if (!alwaysNames.has(name)) names += `, ${name}`
  headers['access-control-expose-headers'] = names
}
