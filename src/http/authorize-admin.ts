/**
 * Protects the control plane from pages of other origins.
 *
 * Such a page can send requests to a double on the same machine. With DNS rebinding it can also read the responses. So the requested host
 * must be a loopback name or an allowed one, and an Origin header must name the double's own origin or an allowed one.
 */
import { timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'

import { createError } from '../errors.js'
import { readBearerToken } from './bearer-token.js'
import { isHeaderRepeated } from './repeated-header.js'
import type { RequestContext } from './request-context.js'
import { requestedHost } from './request-target.js'

/** The access rules of the control plane. */
export interface AdminAccess {
  /** Host names in addition to loopback, without a port. */
  readonly allowedHosts: readonly string[]
  /** Origins in addition to the double's own, such as `http://localhost:5173`. */
  readonly adminOrigins: readonly string[]
  /** The bearer token that requests need. Undefined: none. */
  readonly adminToken: string | undefined
}

/**
 * Authorizes a control request. Pages need no token: they contain no data, and ask the user for the token.
 *
 * @throws {DoubleError} `forbidden_host`, `forbidden_origin`, `unknown_admin_token`.
 */
export function authorizeAdmin(
  { operation, request, target }: RequestContext,
  { adminOrigins, adminToken, allowedHosts }: AdminAccess,
): void {
  const { origin } = request.headers
  const host = requestedHost(target, request.headers.host)
  const name = hostName(host)
  const isKnown =
    name !== undefined && (isLoopback(name) || allowedHosts.some((allowed) => allowed.toLowerCase() === name))
  if (!isKnown) throw createError('forbidden_host', { host })
  if (origin !== undefined && origin !== `http://${host}` && !adminOrigins.includes(origin)) {
    throw createError('forbidden_origin', { origin })
  }
  if (operation.secured && adminToken !== undefined && !isSameToken(tokenOf(request), adminToken)) {
    throw createError('unknown_admin_token', undefined, { headers: { 'www-authenticate': 'Bearer' } })
  }
}

/** Tells whether a name or address always means this machine. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]') return true
  return isIPv4(name) && name.startsWith('127.')
}

/** Returns the name in a Host header, in lower case. @returns Undefined if the header is invalid. */
function hostName(host: string): string | undefined {
  const [, name] = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu.exec(host) ?? []
  return name?.toLowerCase()
}

function tokenOf(request: RequestContext['request']): string {
  const { authorization = '' } = request.headers
  return isHeaderRepeated(request, 'authorization') ? '' : (readBearerToken(authorization) ?? '')
}

function isSameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
