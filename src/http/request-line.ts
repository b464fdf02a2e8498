import { createError } from '../http-errors.js'
import type { RequestContext } from './request-context.js'
import type { RequestHead } from './request-head.js'

/** Refuses requests that Node accepts and other HTTP software does not. @throws {DoubleError} `malformed_http`, `expectation_failed`. */
export function checkRequestLineAndHeaders({ head }: RequestContext): undefined {
  const { expect, host } = head.headers
  const reason = head.known(findSyntaxError)
  if (reason !== undefined) throw createError('malformed_http', { reason }, { headers: { connection: 'close' } })
  if (host === undefined && head.httpVersion === '1.1')
    throw createError('malformed_http', { reason: 'the Host header is missing' })
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw createError('expectation_failed', { got: expect })
}

/** Finds a syntax error that Node's parser accepts, in some or all versions. */
function findSyntaxError(head: RequestHead): string | undefined {
  const { httpVersion, rawHeaders, url } = head
  // Node serves 0.9 and 2.0 as if they were 1.1.
  if (!/^1\.[01]$/u.test(httpVersion)) return `its version is ${httpVersion}`
  if (/[^!-~]/u.test(url)) return 'its target has a character that must be percent-encoded'
  // Node uses the first one, but a proxy may have used the second one.
  if (isHeaderRepeated(head, 'host')) return 'the Host header is given more than once'
  const isMisnamed = rawHeaders.some((text, index) => index % 2 === 0 && (text === '' || text.includes(' ')))
  return isMisnamed ? 'a header has no name, or one with a space' : undefined
}

/** Tells whether a request has a header field more than once. `request.headers` has only the first. @param name - In lower case. */
export function isHeaderRepeated({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index]
    if (field?.length === name.length && field.toLowerCase() === name) times++
  }
  return times > 1
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
