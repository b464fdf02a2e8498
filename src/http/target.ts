/** The request target: what stands between method and version in a request's first line. */
import { failure } from '../errors.js'

/** Visible ASCII without `#`: what a target may be made of. Whatever is beyond must come percent-encoded. */
const allowed = /^[!-"$-~]*$/u

/**
 * Reduces a target to path and query.
 *
 * @param target - `/insights?limit=5`, `http://host/insights?limit=5`, or `*`.
 * @throws {DoubleError} `malformed_target`.
 */
export function originForm(target: string): string {
  const form = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?![^/?])(.*)$/iu.exec(target)?.[1]
  const path = form === undefined ? target : form.startsWith('/') ? form : `/${form}`
  if (!allowed.test(path) || !(path.startsWith('/') || path === '*')) throw failure('malformed_target', undefined)
  return path
}
