/** Reads bearer tokens. */
import type { IncomingMessage } from 'node:http'

/** RFC 6750: the scheme in any case, one or more spaces, and a token. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/iu

/** Tells whether a text has the syntax of a bearer token. */
export const isBearerToken = (token: string): boolean => bearer.test(`Bearer ${token}`)

/** Reads the bearer token of an Authorization header. @returns Undefined if it is not a bearer token. */
export const readBearerToken = (authorization: string): string | undefined => bearer.exec(authorization)?.[1]

/** Tells whether a request repeats a header field. `request.headers` has only the first. @param name - In lower case. */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index]
    if (field?.length === name.length && field.toLowerCase() === name) times++
  }
  return times > 1
}
