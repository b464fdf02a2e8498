/** Reads bearer tokens. */

/** RFC 6750: the scheme in any case, one or more spaces, and a token. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/iu

/** Tells whether a text has the syntax of a bearer token. */
export const isBearerToken = (token: string): boolean => bearer.test(`Bearer ${token}`)

/** Reads the bearer token of an Authorization header. @returns Undefined if it is not a bearer token. */
export const readBearerToken = (authorization: string): string | undefined => bearer.exec(authorization)?.[1]
