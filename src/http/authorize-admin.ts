/**
 * Guards the control plane against pages that a browser has open elsewhere.
 *
 * A page of another origin can send requests to a double on the same machine, and with a rebound name even read the replies. So the
 * host that a request is for has to be one that only this machine goes by, and an Origin, where there is one, the double's own.
 */
import { timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'

import { createError } from '../errors.js'
import { bearerToken } from './bearer-token.js'
import type { RequestContext } from './request-context.js'
import { requestedHost } from './request-target.js'

/** Whom the control plane answers. */
export interface AdminAccess {
  /** Host names beside those of loopback, without a port. */
  readonly allowedHosts: readonly string[]
  /** Origins beside the double's own, such as `http://localhost:5173`. */
  readonly adminOrigins: readonly string[]
  /** The bearer token to demand. Undefined: none. */
  readonly adminToken: string | undefined
}

/**
 * Lets a control request in. Pages need no token: they hold nothing, and ask for it themselves.
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
  if (operation.secured && adminToken !== undefined && !isSame(tokenOf(request), adminToken)) {
    throw createError('unknown_admin_token', undefined, { headers: { 'www-authenticate': 'Bearer' } })
  }
}

/** Whether a name or address always means this machine. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '[::1]') return true
  return isIPv4(name) && name.startsWith('127.')
}

/** The name in a Host header, in lower case. @returns Undefined for what is no Host. */
function hostName(host: string): string | undefined {
  const [, name] = /^([a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu.exec(host) ?? []
  return name?.toLowerCase()
}

function tokenOf(request: RequestContext['request']): string {
  try {
    return bearerToken(request)
  } catch {
    return ''
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
