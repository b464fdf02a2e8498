/** Finds the credentials in a request. */
import type { Contract, Json, OperationResponse } from '../contract/contract.js'
import { anyToken } from '../resources/records/state.js'
import type { RequestContext } from './request-context.js'

/** Tells whether a header field, parameter, cookie or property of this name holds a credential. */
export type IsSecretName = (name: string) => boolean

/** A pair of a query. */
export interface QueryPair {
  /** The pair as received. */
  readonly text: string
  /** Its name as received. */
  readonly encodedName: string
  readonly name: string
}

/** Splits the query of a URL into its pairs. @returns None if the URL has no query. */
export function queryPairs(url: string): readonly QueryPair[] {
  const start = url.indexOf('?')
  if (start === -1) return []
  return url
    .slice(start + 1)
    .split('&')
    .map((text) => {
      const end = text.indexOf('=')
      const encodedName = end === -1 ? text : text.slice(0, end)
      if (!encodedName.includes('%')) return { text, encodedName, name: encodedName }
      const [name = encodedName] = new URLSearchParams(encodedName).keys()
      return { text, encodedName, name }
    })
}

/**
 * Finds the credentials in a request: in header fields, cookies, query parameters, the userinfo of the URL and properties of the body.
 * Leaves out the token of an authenticated caller, which is redacted anyway.
 *
 * @param response - Undefined if there is none yet.
 */
export function findSecrets(
  context: RequestContext,
  isSecret: IsSecretName,
  response: OperationResponse | undefined,
): readonly string[] {
  const { body, caller, request, target, violations } = context
  const { rawHeaders } = request
  const found: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!isSecret(name)) continue
    const isKnown = caller !== undefined && caller.token !== anyToken && name.toLowerCase() === 'authorization'
    if (!isKnown) found.push(...credentialsInHeader(name, rawHeaders[index + 1] ?? '', isSecret))
  }
  for (const { name, text } of queryPairs(target)) if (isSecret(name)) found.push(...new URLSearchParams(text).values())
  const [, userinfo] = target.includes('@') ? (/\/\/([^/@?]*)@/u.exec(target) ?? []) : []
  if (userinfo !== undefined) found.push(...userinfo.split(':'))
  // Only a message can quote the body. Without one, a large body is not searched.
  const mayQuoteBody = body !== undefined && (violations.length > 0 || (response?.status ?? 500) >= 400)
  return mayQuoteBody
    ? [...found, ...credentialsInBody(body, isSecret, context.route?.operation.hasSecretRequest === true)]
    : found
}

/** Finds the segments of the path that are secrets, as received. */
export function secretSegments(
  { koa, route }: RequestContext,
  { secretPaths }: Pick<Contract, 'secretPaths'>,
): readonly string[] {
  if (secretPaths.length === 0) return []
  const candidates = route ? secretPaths.filter(({ path }) => path === route.operation.path) : secretPaths
  return candidates.flatMap(({ pattern }) => pattern.exec(koa.path)?.slice(1) ?? [])
}

/** Finds the credentials in a header field: the cookies with a secret name, or else each word and the decoded words of Basic. */
function credentialsInHeader(name: string, value: string, isSecret: IsSecretName): readonly string[] {
  if (/cookie/iu.test(name)) {
    const pairs = value.split(/[;,]\s*/u).map((pair) => [pair.split('=', 1)[0] ?? '', pair] as const)
    return pairs.flatMap(([cookie, pair]) => (isSecret(cookie) ? [pair.slice(cookie.length + 1)] : []))
  }
  const words = value.split(/[\s,;"'<>]+/u).flatMap((word) => [word, word.replace(/^[\w-]+=(?=.*[^=])/u, '')])
  return /^basic /iu.test(value) ? [...words, ...words.flatMap(decodeBasic)] : words
}

/** Decodes the credentials of the Basic scheme. @returns User and password together, and the password alone. */
function decodeBasic(word: string): readonly string[] {
  const text = Buffer.from(word, 'base64').toString()
  return [text, text.slice(text.indexOf(':') + 1)]
}

/** Finds the strings of a body in properties with a secret name, and below them. @param isWhole - True if the whole body is a secret. */
function credentialsInBody(body: Json, isSecret: IsSecretName, isWhole: boolean): readonly string[] {
  const found: string[] = []
  const remaining: { readonly value: Json; readonly isInSecret: boolean }[] = [{ value: body, isInSecret: isWhole }]
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    const { isInSecret, value } = next
    if (typeof value === 'string' && isInSecret) found.push(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, item] of Object.entries<Json>(value as { readonly [key: string]: Json }))
      remaining.push({ value: item, isInSecret: isInSecret || isSecret(name) })
  }
  return found
}
