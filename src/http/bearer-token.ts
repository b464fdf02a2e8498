/** Reads the bearer token of a request. */
import type { IncomingMessage } from 'node:http'

import { createError } from '../errors.js'

/** RFC 6750: the scheme in any case, one or more spaces, and a token of these characters. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/iu

/** Whether a token could be sent at all. */
export const isBearerToken = (token: string): boolean => bearer.test(`Bearer ${token}`)

/**
 * The token that a request carries.
 *
 * @throws {DoubleError} `missing_token`, `malformed_token`.
 */
export function bearerToken(request: IncomingMessage): string {
  const { authorization } = request.headers
  const headers = { 'www-authenticate': 'Bearer' }
  if (authorization === undefined) throw createError('missing_token', undefined, { headers })
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined || isRepeated(request, 'authorization'))
    throw createError('malformed_token', undefined, { headers })
  return token
}

/** Whether a request has a header field more than once. Node keeps the first and does not say so. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index]
    if (field?.length === name.length && field.toLowerCase() === name) times++
  }
  return times > 1
}
