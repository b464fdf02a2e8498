/** Checks the admin token of a request to the control plane. */
import { timingSafeEqual } from 'node:crypto'

import { createError } from '../http-errors.js'
import { readBearerToken } from './bearer-token.js'
import { isHeaderRepeated } from './repeated-header.js'
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
