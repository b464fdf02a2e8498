/** Places a token in a request, by the security schemes of the contract. */
import type { Contract, Operation } from '../contract/contract.js'
import type { SecurityScheme } from '../contract/security.js'

/** The parts of a request that carry a credential. */
export interface CredentialParts {
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Query parameters by name, not encoded. */
  readonly query: Readonly<Record<string, string>>
}

/** No credential. */
export const noCredential: CredentialParts = { headers: {}, query: {} }

/** Returns the schemes of the first alternative that needs a credential. Empty: the operation needs none. */
export const requiredSchemes = ({ security }: Operation): readonly SecurityScheme[] =>
  security.find(({ length }) => length > 0) ?? []

/** Puts a token in the places that security schemes require. A basic token is `user:password`. */
export function placeToken(schemes: readonly SecurityScheme[], token: string): CredentialParts {
  const headers: Record<string, string> = {}
  const query: Record<string, string> = {}
  for (const { in: place, kind, parameter, prefix } of schemes) {
    const value = kind === 'basic' ? Buffer.from(token).toString('base64') : token
    if (place === 'query') query[parameter] = value
    else if (place === 'cookie') headers['cookie'] = joinCookies(headers['cookie'], `${parameter}=${value}`)
    else headers[parameter.toLowerCase()] = prefix === '' ? value : `${prefix} ${value}`
  }
  return { headers, query }
}

/** Adds a cookie to the Cookie header, which separates cookies by semicolons. */
const joinCookies = (cookies: string | undefined, cookie: string): string =>
  cookies === undefined ? cookie : `${cookies}; ${cookie}`

/** Creates the token that replaces a caller's real one in a fixture. */
export function standInToken(contract: Contract, caller: string): string {
  const kinds = contract.operations.flatMap((operation) => requiredSchemes(operation).map(({ kind }) => kind))
  return kinds.includes('basic') ? `${caller}:${caller}-token` : `${caller}-token`
}
