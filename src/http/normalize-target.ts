/** Reduces the request target to path and query. */
import type { RequestContext } from './request-context.js'
import { toOriginForm } from './request-target.js'

/** Reduces an absolute-form target to path and query. @throws {DoubleError} `malformed_target`. */
export function normalizeTarget({ koa }: RequestContext): undefined {
  const url = toOriginForm(koa.url)
  if (url !== koa.url) koa.url = url
}
