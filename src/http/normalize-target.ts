import { createError } from '../http-errors.js'
import type { RequestContext } from './request-context.js'

/** Decodes percent-encoding. @returns Undefined unless it is UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Visible ASCII without `#`. Any other character must be percent-encoded. */
const allowed = /^[!-"$-~]*$/u

/** The absolute form, which clients send to proxies. Captures the authority, and the path with the query. */
const absoluteForm = /^https?:\/\/((?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)(?![^/?])(.*)$/iu

/** The host of a target in absolute form takes precedence over the Host header (RFC 9112, 3.2.2). @throws {DoubleError} `malformed_target`. */
export function normalizeTarget(context: RequestContext): undefined {
  const { koa, request } = context
  const [, host = request.headers.host ?? '', rest] = absoluteForm.exec(koa.url) ?? []
  const path = rest === undefined ? koa.url : rest.startsWith('/') ? rest : `/${rest}`
  if (!allowed.test(path) || !(path.startsWith('/') || path === '*')) throw createError('malformed_target', undefined)
  context.host = host
  if (path !== koa.url) koa.url = path
}
