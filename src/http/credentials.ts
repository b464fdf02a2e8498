import { decodePercent } from '../addresses.js'
import type { Operation } from '../contract/contract.js'
import { decodeQueryText, splitPairs } from '../contract/parameters/parameter-styles.js'
import { type CredentialPlace, credentialPlacesOf, type Security, type SecurityScheme } from '../contract/security.js'
import { createError, type CreateErrorOptions } from '../http-errors.js'
import type { Caller } from '../resources/records/state.js'
import { callerWithToken } from '../state/tokens.js'
import { queryOf, type RequestHead } from './request-head.js'
import { isHeaderRepeated } from './request-line.js'

/** Finds the caller of a request: all its credentials must belong to one. @returns Undefined if it needs none and has none. @throws {DoubleError} `missing_token`, `malformed_token`, `unknown_token`, `mixed_tokens`. */
export function findCaller(head: RequestHead, { credentialPlaces, security }: Operation, callers: readonly Caller[]) {
  if (security.length === 0) return undefined
  const credentials = readCredentials(head, credentialPlaces)
  if (credentials.some((tokens) => tokens.length === 0)) throw credentialError('malformed_token', security)
  const presented = new Set(credentials.flat().map(({ scheme }) => scheme))
  if (!security.some((combination) => combination.every((scheme) => presented.has(scheme))))
    throw credentialError('missing_token', security)
  return credentials.length > 0 ? holderOf(security, credentials, callers) : undefined
}

/** Finds the caller of a request that no operation matches, by any credential of the contract. */
export function recognizeCaller(head: RequestHead, operations: readonly Operation[], callers: readonly Caller[]) {
  const tokens = readCredentials(head, credentialPlacesOf(operations.flatMap(({ security }) => security))).flat()
  return tokens.map(({ scheme, token }) => callerWithToken(callers, scheme.name, token)).find((caller) => caller)
}

export const credentialError = (code: `${'malformed' | 'missing' | 'unknown'}_token`, security: Security) =>
  createError(code, describeRequiredCredentials(security), challenge(security, code === 'unknown_token'))

const challenge = (security: Security, isRefused: boolean): CreateErrorOptions => ({
  headers: { 'www-authenticate': challengesOf(security, isRefused) },
  location: locationOf(security),
})

function holderOf(security: Security, credentials: readonly PlacedCredential[], callers: readonly Caller[]): Caller {
  const holders = credentials.map((tokens) =>
    tokens.map(({ scheme, token }) => ({ scheme, caller: callerWithToken(callers, scheme.name, token) })),
  )
  if (holders.some((found) => found.every(({ caller }) => caller === undefined)))
    throw credentialError('unknown_token', security)
  for (const { caller } of holders.flat()) {
    const own = new Set(holders.flat().flatMap((holder) => (holder.caller === caller ? holder.scheme : [])))
    const isOfAll = holders.every((found) => found.some((holder) => holder.caller === caller))
    const isEnough = security.some((combination) => combination.every((scheme) => own.has(scheme)))
    if (caller && isOfAll && isEnough) return caller
  }
  throw createError('mixed_tokens', undefined, challenge(security, true))
}

/** The token that each scheme reads in one place, in the form of the fixture. Empty: no scheme can read the credential. */
type PlacedCredential = readonly { readonly scheme: SecurityScheme; readonly token: string }[]

/** Reads the credentials of a request from the places of its operation. Leaves out places without a credential. */
export function readCredentials(head: RequestHead, places: readonly CredentialPlace[]): PlacedCredential[] {
  return places.flatMap((place) => {
    const [text, another] = textsAt(head, place)
    if (text === undefined) return []
    const read = place.schemes.flatMap((scheme) => {
      const token = another === undefined ? readToken(scheme, text) : undefined
      // An API key in Authorization may have any scheme before it.
      const isAfterScheme = scheme.kind === 'apiKey' && place.name === 'authorization'
      const key = isAfterScheme ? /^[\w-]+ +(\S+)$/u.exec(text)?.[1] : undefined
      return [token, key].flatMap((each) => (each === undefined ? [] : { scheme, token: each }))
    })
    return [read]
  })
}

/** Finds the texts in the place of a credential. There are several if the request repeats the place. */
function textsAt(head: RequestHead, { in: place, name: parameter }: CredentialPlace): readonly string[] {
  const { headers, url } = head
  if (place === 'header') {
    const value = headers[parameter]
    if (value === undefined) return []
    return isHeaderRepeated(head, parameter) ? ['', ''] : [String(value)]
  }
  const pairs = place === 'query' ? splitPairs(queryOf(url)) : splitPairs(headers.cookie ?? '', /; */u)
  const decode = place === 'query' ? decodeQueryText : decodeCookie
  return pairs.filter(({ name }) => name === parameter).map(({ raw }) => decode(raw))
}

/** Decodes a cookie. Quotes around it do not count. Invalid percent-encoding stays as it is. */
function decodeCookie(raw: string): string {
  const text = raw.replace(/^"(.*)"$/u, '$1')
  return decodePercent(text) ?? text
}

/** Reads a token. @returns Undefined if the text is not a credential of the scheme. */
function readToken({ kind, prefix }: SecurityScheme, text: string): string | undefined {
  if (kind === 'apiKey') return text === '' ? undefined : text
  if (kind === 'bearer') return readBearerToken(text)
  const { length } = prefix
  if (text.slice(0, length).toLowerCase() !== prefix.toLowerCase() || text[length] !== ' ') return undefined
  const credential = text.slice(length).trim()
  // `Token token="key"` has the key as a parameter.
  if (kind === 'http') return credential.replace(/^token="?([^"]*)"?$/iu, '$1') || undefined
  // RFC 7617: user and password in Base64. Only the password may contain a colon.
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(credential)) return undefined
  const pair = Buffer.from(credential, 'base64').toString()
  return pair.includes(':') ? pair : undefined
}

/** RFC 6750: the scheme in any case, one or more spaces, and a token. */
const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/iu

export const isBearerToken = (token: string): boolean => bearer.test(`Bearer ${token}`)

/** Reads the bearer token of an Authorization header. @returns Undefined if it is not a bearer token. */
export const readBearerToken = (authorization: string): string | undefined => bearer.exec(authorization)?.[1]

/** Returns the details of the errors of credentials: the missing one, the one to send, and the rule for its text. */
function describeRequiredCredentials(security: Security): Readonly<Record<'what' | 'send' | 'rule', string>> {
  const needed = security.filter((combination) => combination.length > 0)
  const alternatives = needed.map((combination) => combination.map(describeScheme).join(' and '))
  const kinds = needed.flat().map(({ kind }) => kind)
  return {
    what: kinds.every((kind) => kind === 'bearer') ? 'bearer token' : 'credential',
    send: [...new Set(alternatives)].join(', or '),
    rule: kinds.includes('bearer') ? '; a bearer token consists of letters, digits and -._~+/' : '',
  }
}

const examples = { bearer: 'ACCESS_TOKEN', basic: 'user:password in Base64', http: 'CREDENTIALS', apiKey: 'API_KEY' }

function describeScheme({ in: place, kind, parameter, prefix }: SecurityScheme): string {
  if (place === 'header') return `the header ${parameter}: ${prefix}${prefix && ' '}<${examples[kind]}>`
  return `the ${place === 'query' ? 'query parameter' : 'cookie'} ${parameter}=<${examples[kind]}>`
}

function locationOf(security: Security): readonly string[] {
  const [{ in: place, parameter } = { in: 'header', parameter: 'Authorization' }] = security.flat()
  return place === 'header' ? ['request', 'headers', parameter.toLowerCase()] : ['request', place, parameter]
}

/** @param isRefused - True if a credential was sent and refused. Only Bearer has an error code for it (RFC 6750). */
function challengesOf(security: Security, isRefused: boolean): string {
  const challenges = security.flat().map(({ in: place, kind, parameter, prefix }) => {
    if (kind === 'bearer') return isRefused ? 'Bearer error="invalid_token"' : 'Bearer'
    if (kind === 'basic') return 'Basic realm="service", charset="UTF-8"'
    if (kind === 'http') return prefix
    // No scheme is registered for API keys, and a 401 must have a challenge (RFC 9110).
    return `ApiKey in="${place}", name="${parameter.replaceAll(/[^ !#-[\]-~]/gu, '')}"`
  })
  return [...new Set(challenges)].join(', ')
}
