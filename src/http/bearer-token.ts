/** Reads the bearer token of a request. */
import type { IncomingMessage } from 'node:http'

import { createError } from '../errors.js'

/** RFC 6750: the scheme in any case, one or more spaces, and a token. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/iu

/** Tells whether a text has the syntax of a bearer token. */
export const isBearerToken = (token: string): boolean => bearer.test(`Bearer ${token}`)

/**
 * Returns the bearer token of a request.
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

/** Tells whether a request repeats a header field. `request.headers` has only the first. @param name - In lower case. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index]
    if (field?.length === name.length && field.toLowerCase() === name) times++
  }
  return times > 1
}
