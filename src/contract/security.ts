/** The security schemes of a contract. */
import { groupBy, type JsonObject, isObject, listOf, objectAt, objectOf, textOf } from '../documents/object.js'

/** A security scheme: the place of a credential in a request. */
export interface SecurityScheme {
  /** The name under `components.securitySchemes`. */
  readonly name: string
  /** `bearer`: OAuth 2 and OpenID Connect too. `basic`: `user:password`. `http`: the text of any other scheme. */
  readonly kind: 'bearer' | 'basic' | 'apiKey' | 'http'
  readonly in: 'header' | 'query' | 'cookie'
  /** The header field, query parameter or cookie. */
  readonly parameter: string
  /** The HTTP scheme before the credential, such as `Bearer`. Empty for API keys. */
  readonly prefix: string
}

export interface CredentialPlace {
  readonly in: SecurityScheme['in']
  /** The name of the header field, query parameter or cookie. A header field is in lower case. */
  readonly name: string
  readonly schemes: readonly SecurityScheme[]
}

/** The credentials that an operation needs: one of these combinations. Empty: none. An empty combination: requests without a credential are allowed too. */
export type Security = readonly (readonly SecurityScheme[])[]

const schemesIn = (document: JsonObject): JsonObject => objectAt(objectAt(document, 'components'), 'securitySchemes')

/** Tells whether a scheme is the name of the client's software, which every client sends and which is no credential. */
const isUserAgent = (scheme: JsonObject): boolean => textOf(scheme['name']).toLowerCase() === 'user-agent'

/** Reads the security schemes of a dereferenced spec, by name. Leaves out schemes that need no part of a request, such as client certificates. */
export function readSecuritySchemes(document: JsonObject): ReadonlyMap<string, SecurityScheme> {
  const read = Object.entries(schemesIn(document)).flatMap(([name, scheme]) => toScheme(name, objectOf(scheme)) ?? [])
  return new Map(read.map((scheme) => [scheme.name, scheme]))
}

/** The word before the key that the text of an API key tells: `Authorization: Token <key>`, `the word "Bearer" followed by a space`, a line `Token xxxx`. */
const toldPrefix =
  /(?:^|[\n`"':])[ \t]*(?!authorization|header)([a-z][\w-]*) +(?:x{3,}[\w.]*|<[\w ]+>|\{[\w ]+\})(?=[\s`"'.]|$)|\bAuthorization: ?[`"']?([a-z][\w-]*) +[\w<{[$`"']|\b(?:word|format|prefix(?:ed (?:with|by))?|type|enter|put) [`"']([a-z][\w-]*)(?=[ `"'])|\bheader to [`"']([a-z][\w-]*) \w|\b(bearer)\b/iu

function toScheme(name: string, described: JsonObject): SecurityScheme | undefined {
  const { description, in: place, name: parameter, scheme, type } = described
  const authorization = { name, in: 'header', parameter: 'Authorization' } as const
  const http = type === 'http' && typeof scheme === 'string' ? scheme : undefined
  if (type === 'oauth2' || type === 'openIdConnect' || http?.toLowerCase() === 'bearer')
    return { ...authorization, kind: 'bearer', prefix: 'Bearer' }
  if (http?.toLowerCase() === 'basic') return { ...authorization, kind: 'basic', prefix: 'Basic' }
  if (http !== undefined) return { ...authorization, kind: 'http', prefix: http }
  if (type !== 'apiKey' || typeof parameter !== 'string' || isUserAgent(described)) return undefined
  if (place !== 'header' && place !== 'query' && place !== 'cookie') return undefined
  const text = `${textOf(description)} ${name.replace(/(bearer).*/iu, ' $1')}`
  const [, ...told] = (parameter.toLowerCase() === 'authorization' && toldPrefix.exec(text)) || []
  const prefix = told.find((each) => each !== undefined)
  if (place === 'header' && prefix !== undefined) return toScheme(name, { type: 'http', scheme: prefix })
  return { name, kind: 'apiKey', in: place, parameter, prefix: '' }
}

/** Reads the security requirements of an operation. Its own replace those of the document. */
export function readSecurity(
  document: JsonObject,
  operation: JsonObject,
  schemes: ReadonlyMap<string, SecurityScheme>,
): { readonly security: Security; readonly secured: boolean; readonly scopes: readonly string[] } {
  const all = listOf(operation['security'] ?? document['security']).filter(isObject)
  // Next to another alternative, it was meant to be sent with that one.
  const requirements = all.filter((each) => {
    const names = Object.keys(each)
    return names.length === 0 || !names.every((name) => isUserAgent(objectAt(schemesIn(document), name)))
  })
  const security = requirements.flatMap((requirement) => {
    const combination = Object.keys(requirement).flatMap((name) => schemes.get(name) ?? [])
    // A header has one value, so two schemes of it can only be meant as alternatives.
    return credentialPlacesOf([combination]).length === 1 ? combination.map((each) => [each]) : [combination]
  })
  const scopes = requirements.flatMap((requirement) => Object.values(requirement).flatMap(listOf)).map(String)
  return {
    security: security.some((combination) => combination.length > 0) ? security : [],
    secured: security.length > 0 && security.every((combination) => combination.length > 0),
    scopes: [...new Set(scopes)],
  }
}

/** Lists the places of the credentials that an operation needs, each once. */
export function credentialPlacesOf(security: Security): readonly CredentialPlace[] {
  const nameOf = ({ in: place, parameter }: SecurityScheme) =>
    place === 'header' ? parameter.toLowerCase() : parameter
  const places = groupBy(new Set(security.flat()), (scheme) => `${scheme.in} ${nameOf(scheme)}`)
  return [...places.values()].flatMap((schemes) =>
    schemes.slice(0, 1).map((first) => ({ in: first.in, name: nameOf(first), schemes })),
  )
}

export type CredentialParts = Readonly<Record<'headers' | 'query', Readonly<Record<string, string>>>>

/** Puts a token in the places that security schemes require. A basic token is `user:password`. @returns Header fields by lower-case name, and query parameters by name, not encoded. */
export function placeToken(schemes: readonly SecurityScheme[], token: string): CredentialParts {
  const headers: Record<string, string> = {}
  const query: Record<string, string> = {}
  for (const { in: place, kind, parameter, prefix } of schemes) {
    const value = kind === 'basic' ? Buffer.from(token).toString('base64') : token
    const cookies = headers['cookie'] === undefined ? '' : `${headers['cookie']}; `
    if (place === 'query') query[parameter] = value
    else if (place === 'cookie') headers['cookie'] = `${cookies}${parameter}=${value}`
    else headers[parameter.toLowerCase()] = prefix === '' ? value : `${prefix} ${value}`
  }
  return { headers, query }
}
