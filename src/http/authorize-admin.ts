/** Checks the host, the origin and the token of requests to the control plane. */
import { timingSafeEqual } from 'node:crypto'

import { hostName, isLoopback } from '../addresses.js'
import { createError } from '../http-errors.js'
import { isHeaderRepeated } from './check-request-line-and-headers.js'
import { readBearerToken } from './credentials.js'
import type { RequestContext } from './request-context.js'

/**
 * Checks the admin token. Pages need none: they contain no data, and ask the user for the token.
 *
 * @param adminToken - The bearer token that requests need. Undefined: none.
 * @throws {DoubleError} `unknown_admin_token`.
 */
export function authorizeAdmin({ operation, request }: RequestContext, adminToken: string | undefined): void {
  if (operation.secured && adminToken !== undefined && !isSameToken(tokenOf(request), adminToken)) {
    throw createError('unknown_admin_token', undefined, { headers: { 'www-authenticate': 'Bearer' } })
  }
}

function tokenOf(request: RequestContext['request']): string {
  const { authorization = '' } = request.headers
  return isHeaderRepeated(request, 'authorization') ? '' : (readBearerToken(authorization) ?? '')
}

function isSameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Protects the control plane from pages of other origins.
 *
 * Such a page can send requests to a double on the same machine. With DNS rebinding it can also read the responses. So the requested host
 * must be a loopback name or an allowed one, and an Origin header must name the double's own origin or an allowed one.
 */

export interface AllowedHostsAndOrigins {
  /** Host names in addition to loopback, without a port. */
  readonly allowedHosts: readonly string[]
  /** Origins in addition to the double's own, such as `http://localhost:5173`. */
  readonly adminOrigins: readonly string[]
}

/** Checks the host and the origin of a control request. @throws {DoubleError} `forbidden_host`, `forbidden_origin`. */
export function checkHostAndOrigin(
  { host, request }: RequestContext,
  { adminOrigins, allowedHosts }: AllowedHostsAndOrigins,
): void {
  const { origin } = request.headers
  const name = hostName(host)
  const isKnown =
    name !== undefined && (isLoopback(name) || allowedHosts.some((allowed) => allowed.toLowerCase() === name))
  if (!isKnown) throw createError('forbidden_host', { host })
  if (origin !== undefined && origin !== `http://${host}` && !adminOrigins.includes(origin)) {
    throw createError('forbidden_origin', { origin })
  }
}
