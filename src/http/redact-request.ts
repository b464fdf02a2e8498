import { decodePercent } from '../addresses.js'
import type { Contract, Json, OperationResponse, SecretPath } from '../contract/contract.js'
import { secretPathParameters, segmentsAfter, type SecretKind } from '../contract/secrets.js'
import type { Violation } from '../contract/violation.js'
import { onceForObject } from '../once.js'
import { createRedactor, decodeEscapes, isSecretName, minSecretLength, redacted, type Redact } from '../redaction.js'
import { anyToken, type Caller } from '../resources/records/state.js'
import type { RequestContext } from './request-context.js'
import type { RequestHead } from './request-head.js'

/** A token of HTTP basic is `user:password`: the password alone is a secret too. */
const withPassword = (token: string): readonly string[] => [token, token.slice(token.indexOf(':') + 1)]

/** A list of callers is replaced, never changed. */
const redactorOf = onceForObject((callers: readonly Caller[]) =>
  createRedactor(callers.flatMap(({ tokens }) => [...tokens.values()]).flatMap(withPassword)),
)

function createKnownRedaction(
  _head: RequestHead,
  { secretNames, secretPaths }: Contract,
  redactAdminToken: Redact | undefined,
  ...callers: readonly (readonly Caller[])[]
): Redaction {
  const known = [...new Set(callers)].map(redactorOf)
  if (redactAdminToken) known.push(redactAdminToken)
  // The name of a deepObject parameter is `login[pin]`, and some forms write `login.pin`.
  const partsOf = (name: string): readonly string[] => name.toLowerCase().split(/[[\].]+/u)
  const isSecret: IsSecretName = (name) =>
    isSecretName(name) || (secretNames.size > 0 && partsOf(name).some((part) => secretNames.has(part)))
  return redactionOf(known, isSecret, secretPaths)
}

/** The secrets are the credentials in the request, the token of the control plane, and the tokens of the callers of its sandbox and of the root. */
export function createRedaction(context: RequestContext, response?: OperationResponse, kind?: SecretKind): Redaction {
  const { head, options, sandbox } = context
  const { redactAdminToken, sandboxes, service } = options
  const { committed, pending } = sandbox.store
  const callers = [committed.callers, pending.callers, sandboxes.root.store.committed.callers] as const
  const redaction = head.known(createKnownRedaction, service().contract, redactAdminToken, ...callers)
  const inPath = context.isControl ? [] : secretsInPath(context, kind)
  const { pairs, secrets } = head.known(findSecrets, redaction.isSecretName, context.caller)
  const inBody = secretsInBody(context, redaction.isSecretName, response)
  if (inPath.length + pairs.length + secrets.length + inBody.length === 0) return redaction
  const unknown = [...inPath.map(({ value }) => value), ...secrets, ...inBody].filter(
    (value) => value.length >= minSecretLength && redaction.text(value) === value,
  )
  const places = [
    ...inPath.map(({ segment }) => [segment, `/${redacted}`] as const),
    ...inPath.map(({ value }) => [`got ${JSON.stringify(decodePercent(value) ?? value)}`, `got ${redacted}`] as const),
    ...pairs.flatMap((pair) => [pair.text, pair.shortText].map((text) => [text, joinPairs([pair])] as const)),
  ].filter(([received, shown]) => !shown.startsWith(received) && redaction.text(received) !== shown)
  if (unknown.length + places.length === 0) return redaction
  // Parts of the request target with secrets, also short ones, which messages quote.
  const escaped = places.map(([received, shown]) => [JSON.stringify(received).slice(1, -1), shown] as const)
  const { isSecretName: isSecret, redactors, secretPaths } = redaction
  return redactionOf([...redactors, createRedactor(unknown)], isSecret, secretPaths, [...places, ...escaped])
}

type SecretPlace = readonly [received: string, shown: string]

export type Redaction = ReturnType<typeof redactionOf>

/** @param own - Undefined: the request has no secret of its own. */
function redactionOf(
  redactors: readonly Redact[],
  isSecret: IsSecretName,
  secretPaths: readonly SecretPath[],
  own?: readonly SecretPlace[],
) {
  function text(given: string): string {
    let result = given
    for (const [received, shown] of own ?? []) result = result.replaceAll(received, () => shown)
    for (const redact of redactors) result = redact(result)
    return result
  }
  /** Redacts a URL: the userinfo, and the values of parameters with a secret name, such as `access_token`. */
  function url(given: string): string {
    const withoutUser = given.includes('@') ? given.replace(/(\/\/)[^/@?#]*@/u, `$1${redacted}@`) : given
    return text(given.includes('=') ? joinPairs(pairsOf(withoutUser, isSecret)) : withoutUser)
  }
  /** Redacts a header field, which may be a link to a secret path. */
  function link(value: string): string {
    const segments = secretPaths.length > 0 && value.includes('/') ? segmentsAfter(value, secretPaths) : []
    return url(segments.reduce((shown, segment) => shown.replace(segment, () => `/${redacted}`), value))
  }
  /** Redacts every string in a JSON value, property names included. */
  function json(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), json(item)]))
  }
  return {
    redactors,
    isSecretName: isSecret,
    secretPaths,
    /** True if the request has a credential that no caller has. The redaction then contains that credential, so the journal must not keep it. */
    hasOwnSecrets: own !== undefined,
    text,
    url,
    json,
    /** Redacts header fields. Those with several values are joined by commas. */
    headers: (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> => {
      const entries = Object.entries(headers).map(([name, given]) => {
        const value = String(given)
        const isHidden = isSecret(name) || (/[{<"]/u.test(value) && namesSecret(value, isSecret, true))
        return [text(name), isHidden ? redacted : link(value)]
      })
      return Object.fromEntries(entries)
    },
    violations: (violations: readonly Violation[]): readonly Violation[] =>
      violations.map((violation) => {
        const { location, message } = violation
        return { ...violation, location: location.map(text), message: text(message) }
      }),
    /** Redacts the message and the stack of an error. @returns The same error if it contains no secret. */
    error: (error: unknown): unknown => {
      if (!(error instanceof Error)) return text(String(error))
      const { message, name, stack = '' } = error
      if (text(stack) === stack && text(message) === message) return error
      return Object.assign(new Error(text(message)), { name, stack: text(stack) })
    },
  }
}

/** Tells whether a header field, parameter, cookie or property of this name holds a credential. */
export type IsSecretName = (name: string) => boolean

interface NamedPair {
  /** The pair as received, with the delimiter before it. */
  readonly text: string
  /** The delimiter and the name as received. */
  readonly start: string
  /** The pair up to the next delimiter of any kind. A message may quote a part of a URL. */
  readonly shortText: string
  readonly hasValue: boolean
  readonly isSecret: boolean
}

/** Splits a text into pairs at `&`, `?`, `#` and `;`. The value of a secret ends at `&` only, because it may contain the other three. */
export function pairsOf(text: string, isSecret: IsSecretName): readonly NamedPair[] {
  const pairs: NamedPair[] = []
  for (const [chunk] of text.matchAll(/[?#&;][^?#&;]*|[^?#&;]+/gu)) {
    const previous = pairs.at(-1)
    if (previous?.isSecret && !chunk.startsWith('&')) {
      pairs[pairs.length - 1] = { ...previous, text: previous.text + chunk }
      continue
    }
    const [, start = chunk, value] = /^([^=]*)=(.*)$/su.exec(chunk) ?? []
    const hasValue = value !== undefined
    const hasSecret = hasValue && (isSecret(decodeName(start)) || namesSecret(value, isSecret, true))
    pairs.push({ text: chunk, start, shortText: chunk, hasValue, isSecret: hasSecret })
  }
  return pairs
}

export const joinPairs = (pairs: readonly NamedPair[]): string =>
  pairs.map(({ isSecret, start, text }) => (isSecret ? `${start}=${redacted}` : text)).join('')

function decodeName(start: string): string {
  const encodedName = start.replace(/^[?#&;]\s*/u, '')
  if (!encodedName.includes('%')) return encodedName
  const [name = encodedName] = new URLSearchParams(encodedName).keys()
  return name
}

const namePattern = /[\p{L}\p{N}_$[\]-]+/gu

/** In any encoding. @param isProse - True if the name counts only with a value, as in `name=`, `"name":`, `{name:` and `</name`. */
export function namesSecret(text: string, isSecret: IsSecretName, isProse: boolean): boolean {
  if (isProse && !/[<=:%]/u.test(text)) return false
  const plain = decodeEscapes(text)
  for (const { 0: name, index } of plain.matchAll(namePattern)) {
    if (!isSecret(name)) continue
    const before = plain.slice(Math.max(0, index - 9), index)
    const after = plain.slice(index + name.length, index + name.length + 9)
    if (!isProse || /^["']?\s*=|^["']\s*:/u.test(after) || /<\/(?:\w+:)?$/u.test(before)) return true
    if (/[{,]\s*$/u.test(before) && /^\s*:/u.test(after)) return true
  }
  return false
}

/** Leaves out the token of an authenticated caller, which is redacted anyway. */
function findSecrets({ rawHeaders, url }: RequestHead, isSecret: IsSecretName, caller: Caller | undefined) {
  const pairs = pairsOf(url, isSecret).filter((pair) => pair.isSecret)
  const inHeaders = rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || !isSecret(name)) return []
    const isKnown = caller !== undefined && caller.tokens.get('') !== anyToken && name.toLowerCase() === 'authorization'
    return isKnown ? [] : credentialsInHeader(name, rawHeaders[index + 1] ?? '', isSecret)
  })
  const inUrl = pairs.flatMap(({ shortText, start, text }) =>
    [text, shortText].map((each) => decodeValue(each.slice(start.length + 1))),
  )
  const [, userinfo] = url.includes('@') ? (/\/\/([^/@?]*)@/u.exec(url) ?? []) : []
  return { pairs, secrets: [...inHeaders, ...inUrl, ...(userinfo?.split(':') ?? [])] }
}

function secretsInBody(context: RequestContext, isSecret: IsSecretName, response?: OperationResponse) {
  const { body, route, violations } = context
  const operation = route?.operation
  // Without a message or a documented secret, nothing quotes one of the body, and a large body is not searched.
  const mayQuoteBody = violations.length > 0 || (response?.status ?? 500) >= 400 || operation?.documentsSecrets === true
  if (body === undefined || !mayQuoteBody) return []
  return credentialsInBody(body, isSecret, operation?.hasSecretRequest === true)
}

const decodeValue = (text: string): string => new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? text

/** Finds the secrets in the path, with their segments as received. Without an operation: all behind a secret path. */
function secretsInPath({ koa, options, route }: RequestContext, kind?: SecretKind) {
  const { secretPaths } = options.service().contract
  if (secretPaths.length === 0) return []
  if (!route) return segmentsAfter(koa.url, secretPaths).map((segment) => ({ segment, value: segment.slice(1) }))
  const { operation, pathParameters } = route
  const parts = operation.path.split('/')
  const segments = koa.path.split('/')
  return secretPathParameters(operation, kind).map((name) => ({
    segment: `/${segments[parts.findIndex((part) => part.includes(`{${name}}`))] ?? ''}`,
    value: pathParameters[name] ?? '',
  }))
}

/** Finds the credentials in a header field: the cookies with a secret name, or else each word and the decoded words of Basic. */
function credentialsInHeader(name: string, value: string, isSecret: IsSecretName): readonly string[] {
  if (/cookie/iu.test(name)) {
    const pairs = value.split(/[;,]\s*/u).map((pair) => [pair.split('=', 1)[0] ?? '', pair] as const)
    return pairs.flatMap(([cookie, pair]) => (isSecret(cookie) ? [pair.slice(cookie.length + 1)] : []))
  }
  const words = value.split(/[\s,;"'<>]+/u).flatMap((word) => [word, word.replace(/^[\w-]+=(?=.*[^=])/u, '')])
  if (!/^basic /iu.test(value)) return words
  return [...words, ...words.flatMap((word) => withPassword(Buffer.from(word, 'base64').toString()))]
}

/** Finds the strings and numbers of a body in properties with a secret name, and below them. @param isWhole - True if the whole body is a secret. */
function credentialsInBody(body: Json, isSecret: IsSecretName, isWhole: boolean): readonly string[] {
  if (typeof body !== 'object' || body === null)
    return isWhole && /number|string/u.test(typeof body) ? [String(body)] : []
  const entries = Object.entries<Json>(body as { readonly [key: string]: Json })
  return entries.flatMap(([name, item]) => credentialsInBody(item, isSecret, isWhole || isSecret(name)))
}
