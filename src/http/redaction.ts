/** What of an exchange is secret, and what is left of it for the journal, the log and the response. */
import type { IncomingMessage } from 'node:http'

import type { Contract, Json, Violation } from '../contract/contract.js'
import type { Redact } from '../redaction.js'
import { createRedactor, isSecretName, redacted } from '../redaction.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Caller } from '../state/state.js'
import { anyToken } from '../state/state.js'
import type { Exchange } from './exchange.js'

/** What is secret in every exchange. */
export interface KnownSecrets {
  /** The tokens of its callers are secret in every sandbox. */
  readonly root: Sandbox
  /** The token of the control plane. */
  readonly adminToken: Redact
  /** Places of credentials that the contract names. */
  readonly secretNames: Contract['secretNames']
}

/** Takes the secrets out of each part of an exchange. */
export interface Redaction {
  readonly text: Redact
  readonly url: Redact
  headers(headers: IncomingMessage['headers']): Readonly<Record<string, string>>
  violations(violations: readonly Violation[]): readonly Violation[]
  /** Takes secrets out of every text in a JSON value. */
  json(value: unknown): unknown
  error(error: unknown): unknown
}

const byCallers = new WeakMap<readonly Caller[], Redact>()

/** Lists of callers are never changed, only replaced, so each is made a redactor of once. */
function redactorOf(callers: readonly Caller[]): Redact {
  const known = byCallers.get(callers) ?? createRedactor(callers.map(({ token }) => token))
  byCallers.set(callers, known)
  return known
}

/**
 * Makes the redaction of an exchange: of what it has in a credential's place, and of the tokens of the control plane and of the callers of
 * its sandbox and of the root.
 */
export function redactionOf(exchange: Exchange, { adminToken, root, secretNames }: KnownSecrets): Redaction {
  const { latest, saved } = exchange.sandbox.store
  const isSecret = (name: string): boolean => isSecretName(name) || secretNames.has(name.toLowerCase())
  const redactors = new Set(
    [saved, latest, root.store.saved].map(({ callers }) => redactorOf(callers)).concat(adminToken),
  )
  const text: Redact = (before) => {
    let after = before
    for (const redact of redactors) after = redact(after)
    return after
  }
  const unknown = credentialsOf(exchange, isSecret).filter((value) => text(value) === value)
  if (unknown.length > 0) redactors.add(createRedactor(unknown))
  const url: Redact = (before) => text(redactPlaces(before, isSecret))
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [text(name), json(item)]))
  }
  return {
    text,
    url,
    json,
    headers: (headers) => {
      const left: Record<string, string> = {}
      for (const name in headers) {
        const value = String(headers[name])
        left[text(name)] = isSecret(name) ? redacted : value.includes('?') ? url(value) : text(value)
      }
      return left
    },
    violations: (violations) =>
      violations.map((violation) => ({
        ...violation,
        location: violation.location.map(text),
        message: text(violation.message),
      })),
    error: (error) => {
      if (!(error instanceof Error)) return text(String(error))
      const { message, name, stack = '' } = error
      if (text(stack) === stack && text(message) === message) return error
      return Object.assign(new Error(text(message)), { name, stack: text(stack) })
    },
  }
}

/** Takes out what stands in a credential's place in a URL: before the host, and in parameters such as `access_token`. */
function redactPlaces(url: string, isSecret: (name: string) => boolean): string {
  const at = url.indexOf('?')
  const path = (at === -1 ? url : url.slice(0, at)).replace(/(\/\/)[^/@]*@/u, `$1${redacted}@`)
  if (at === -1) return path
  const pairs = url
    .slice(at + 1)
    .split('&')
    .map((pair) => (isSecret(nameOf(pair)) ? `${pair.split('=', 1)[0] ?? ''}=${redacted}` : pair))
  return `${path}?${pairs.join('&')}`
}

/** The name in a pair of a query. */
function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return name.includes('%') ? ([...new URLSearchParams(name).keys()][0] ?? name) : name
}

/** What a request has in a credential's place. The token of a caller who was let in is known already. */
function credentialsOf(
  { body, caller, reply, request, url, violations }: Exchange,
  isSecret: (name: string) => boolean,
): string[] {
  const { rawHeaders } = request
  const found: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]]
    if (!isSecret(name)) continue
    const isKnown = caller !== undefined && caller.token !== anyToken && name.toLowerCase() === 'authorization'
    if (!isKnown) found.push(...credentialsIn(name, value, isSecret))
  }
  const at = url.indexOf('?')
  if (at !== -1)
    for (const [name, value] of new URLSearchParams(url.slice(at + 1))) if (isSecret(name)) found.push(value)
  const [, userinfo] = /\/\/([^/@?]*)@/u.exec(url) ?? []
  if (userinfo !== undefined) found.push(...userinfo.split(':'))
  // Only a message may repeat something of the body. A large body is not searched for nothing.
  const mayRepeatBody = body !== undefined && (violations.length > 0 || (reply?.status ?? 500) >= 400)
  return mayRepeatBody ? [...found, ...secretsIn(body, isSecret)] : found
}

/** The credentials in a header field: in cookies those of a secret name, else each word, and what Basic has encoded. */
function credentialsIn(name: string, value: string, isSecret: (name: string) => boolean): string[] {
  if (/cookie/iu.test(name)) {
    const pairs = value.split(/[;,]\s*/u).map((pair) => [pair.split('=', 1)[0] ?? '', pair] as const)
    return pairs.flatMap(([cookie, pair]) => (isSecret(cookie) ? [pair.slice(cookie.length + 1)] : []))
  }
  const words = value.split(/[\s,;"'<>]+/u).flatMap((word) => [word, word.replace(/^[\w-]+=(?=.*[^=])/u, '')])
  return /^basic /iu.test(value) ? [...words, ...words.flatMap(fromBase64)] : words
}

const fromBase64 = (word: string): string[] => {
  const text = Buffer.from(word, 'base64').toString()
  return [text, text.slice(text.indexOf(':') + 1)]
}

/** The texts of a body in properties of a secret name, or below one. */
function secretsIn(body: Json, isSecret: (name: string) => boolean): string[] {
  const found: string[] = []
  const left: { readonly value: Json; readonly isFound: boolean }[] = [{ value: body, isFound: false }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { isFound, value } = next
    if (typeof value === 'string' && isFound) found.push(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, item] of Object.entries<Json>(value as { readonly [key: string]: Json }))
      left.push({ value: item, isFound: isFound || isSecret(name) })
  }
  return found
}
