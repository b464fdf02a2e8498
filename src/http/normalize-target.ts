/** Reads the request target, the second part of the request line. */
import { createError } from '../http-errors.js'
import type { RequestContext } from './request-context.js'

/** Reduces an absolute-form target to path and query. @throws {DoubleError} `malformed_target`. */
export function normalizeTarget({ koa }: RequestContext): undefined {
  const url = toOriginForm(koa.url)
  if (url !== koa.url) koa.url = url
}

/** Visible ASCII without `#`. Any other character must be percent-encoded. */
const allowed = /^[!-"$-~]*$/u

/** The absolute form, which clients send to proxies. Captures the authority, and the path with the query. */
const absoluteForm = /^https?:\/\/((?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)(?![^/?])(.*)$/iu

/**
 * Reduces a target to path and query.
 *
 * @param target - `/orders?limit=5`, `http://host/orders?limit=5`, or `*`.
 * @throws {DoubleError} `malformed_target`.
 */
function toOriginForm(target: string): string {
  const form = absoluteForm.exec(target)?.[2]
  const path = form === undefined ? target : form.startsWith('/') ? form : `/${form}`
  if (!allowed.test(path) || !(path.startsWith('/') || path === '*')) throw createError('malformed_target', undefined)
  return path
}

/**
 * Returns the host that a request is for, with its port if one is given. The host of a target in absolute form takes precedence over the
 * Host header (RFC 9112, 3.2.2).
 *
 * @param target - The request target as received.
 * @param host - The Host header.
 * @returns Empty if there is neither.
 */
export function requestedHost(target: string, host: string | undefined): string {
  return absoluteForm.exec(target)?.[1] ?? host ?? ''
}
