/** The place of a caller's token in a request, by the security schemes of the contract. */
import type { Contract, Operation } from '../contract/contract.js'
import { Cursor } from '../contract/references.js'
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'

/** The parts of a request that carry a credential. */
export interface CredentialParts {
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Query parameters by name, not encoded. */
  readonly query: Readonly<Record<string, string>>
}

/** No credential. */
export const noCredential: CredentialParts = { headers: {}, query: {} }

/** A security scheme that an operation requires. */
export interface RequiredScheme {
  readonly name: string
  /** `bearer`: also OAuth 2 and OpenID Connect. */
  readonly kind: 'bearer' | 'basic' | 'apiKey'
  /** The name of the header, parameter or cookie of an API key. */
  readonly parameter: string
  readonly in: string
}

/** Returns the schemes of the first alternative that needs a credential. Empty: the operation needs none. */
export function requiredSchemes({ document }: Contract, { method, path }: Operation): readonly RequiredScheme[] {
  const top = Cursor.top(document)
  const own = top.at('paths').at(path).at(method.toLowerCase()).at('security').value
  const alternatives = Array.isArray(own) ? (own as unknown[]) : top.at('security').value
  const first = (Array.isArray(alternatives) ? (alternatives as unknown[]) : []).find(
    (each): each is JsonObject => isObject(each) && Object.keys(each).length > 0,
  )
  return Object.keys(first ?? {}).flatMap((name) => {
    const scheme = top.at('components').at('securitySchemes').at(name).value
    return isObject(scheme) ? [toScheme(name, scheme)] : []
  })
}

function toScheme(name: string, scheme: JsonObject): RequiredScheme {
  const { in: place = '', name: parameter = '', scheme: of, type } = scheme
  const kind = type === 'apiKey' ? 'apiKey' : String(of).toLowerCase() === 'basic' ? 'basic' : 'bearer'
  return { name, kind, parameter: String(parameter), in: String(place) }
}

/** Puts a token in the places that security schemes require. A basic token is `user:password`. */
export function placeToken(schemes: readonly RequiredScheme[], token: string): CredentialParts {
  const headers: Record<string, string> = {}
  const query: Record<string, string> = {}
  for (const { in: place, kind, parameter } of schemes) {
    if (kind === 'bearer') headers['authorization'] = `Bearer ${token}`
    else if (kind === 'basic') headers['authorization'] = `Basic ${Buffer.from(token).toString('base64')}`
    else if (place === 'query') query[parameter] = token
    else if (place === 'cookie') headers['cookie'] = `${parameter}=${token}`
    else headers[parameter.toLowerCase()] = token
  }
  return { headers, query }
}

/** Creates the token that replaces a caller's real one in a fixture. */
export function standInToken(contract: Contract, caller: string): string {
  const kinds = contract.operations.flatMap((operation) => requiredSchemes(contract, operation).map(({ kind }) => kind))
  return kinds.includes('basic') ? `${caller}:${caller}-token` : `${caller}-token`
}
