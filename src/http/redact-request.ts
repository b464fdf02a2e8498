/** What of an exchange is secret, and what is left of it for the journal, the log and the response. */
import type { IncomingMessage } from 'node:http'

import type { Contract, Json, OperationResponse, Violation } from '../contract/contract.js'
import type { Redact } from '../redaction.js'
import { createRedactor, isSecretName, redacted } from '../redaction.js'
import type { Caller } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { anyToken, tokensOf } from '../state/callers.js'
import type { RequestContext } from './request-context.js'

/** What is secret in every exchange. */
export interface KnownSecrets {
  /** The tokens of its callers are secret in every sandbox. */
  readonly root: Sandbox
  /** The token of the control plane. Undefined: none. */
  readonly adminToken: Redact | undefined
  /** Places of credentials that the contract names. */
  readonly secretNames: Contract['secretNames']
}

const byCallers = new WeakMap<readonly Caller[], Redact>()

/** Lists of callers are never changed, only replaced, so each is made a redactor of once. */
function redactorOf(callers: readonly Caller[]): Redact {
  let redact = byCallers.get(callers)
  if (!redact) byCallers.set(callers, (redact = createRedactor(callers.flatMap(tokensOf))))
  return redact
}

/**
 * Makes the redaction of an exchange: of what it has in a credential's place, and of the tokens of the control plane and of the callers of
 * its sandbox and of the root.
 */
export function createRedaction(
  context: RequestContext,
  { adminToken, root, secretNames }: KnownSecrets,
  response?: OperationResponse,
): Redaction {
  const { pending, committed } = context.sandbox.store
  const redactors = [redactorOf(committed.callers)]
  if (pending.callers !== committed.callers) redactors.push(redactorOf(pending.callers))
  if (root.store.committed.callers !== committed.callers) redactors.push(redactorOf(root.store.committed.callers))
  if (adminToken) redactors.push(adminToken)
  const known = new Redaction(redactors, secretNames)
  const unknown = credentialsOf(context, secretNames, response).filter((value) => known.text(value) === value)
  return unknown.length === 0 ? known : new Redaction([...redactors, createRedactor(unknown)], secretNames)
}

/** Takes the secrets out of each part of an exchange. */
export class Redaction {
  readonly #redactors: readonly Redact[]
  readonly #secretNames: SecretNames

  constructor(redactors: readonly Redact[], secretNames: SecretNames) {
    this.#redactors = redactors
    this.#secretNames = secretNames
  }

  text(text: string): string {
    let left = text
    for (const redact of this.#redactors) left = redact(left)
    return left
  }

  url(url: string): string {
    return this.text(redactPlaces(url, this.#secretNames))
  }

  headers(headers: IncomingMessage['headers']): Readonly<Record<string, string>> {
    const left: Record<string, string> = {}
    for (const name in headers) {
      const value = String(headers[name])
      left[this.text(name)] = isSecret(name, this.#secretNames)
        ? redacted
        : value.includes('?')
          ? this.url(value)
          : this.text(value)
    }
    return left
  }

  violations(violations: readonly Violation[]): readonly Violation[] {
    return violations.map((violation) => ({
      ...violation,
      location: violation.location.map((part) => this.text(part)),
      message: this.text(violation.message),
    }))
  }

  /** Takes secrets out of every text in a JSON value. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.json(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.text(name), this.json(item)]))
  }

  /** Takes secrets out of what is logged of an error. @returns The same error where there are none. */
  error(error: unknown): unknown {
    if (!(error instanceof Error)) return this.text(String(error))
    const { message, name, stack = '' } = error
    if (this.text(stack) === stack && this.text(message) === message) return error
    return Object.assign(new Error(this.text(message)), { name, stack: this.text(stack) })
  }
}

type SecretNames = Contract['secretNames']

const isSecret = (name: string, secretNames: SecretNames): boolean =>
  isSecretName(name) || (secretNames.size > 0 && secretNames.has(name.toLowerCase()))

/** Takes out what stands in a credential's place in a URL: before the host, and in parameters such as `access_token`. */
function redactPlaces(url: string, secretNames: SecretNames): string {
  const at = url.indexOf('?')
  const place = at === -1 ? url : url.slice(0, at)
  const path = place.includes('@') ? place.replace(/(\/\/)[^/@]*@/u, `$1${redacted}@`) : place
  if (at === -1) return path
  const pairs = url.slice(at + 1).split('&')
  for (const [index, pair] of pairs.entries()) {
    const name = nameOf(pair)
    if (isSecret(decodeName(name), secretNames)) pairs[index] = `${name}=${redacted}`
  }
  return `${path}?${pairs.join('&')}`
}

/** The name in a pair of a query, as it is written. */
function nameOf(pair: string): string {
  const end = pair.indexOf('=')
  return end === -1 ? pair : pair.slice(0, end)
}

/** Decodes a name of a query, whatever it is. */
const decodeName = (name: string): string =>
  name.includes('%') ? ([...new URLSearchParams(name).keys()][0] ?? name) : name

/** What a request has in a credential's place. The token of a caller who was let in is known already. */
function credentialsOf(
  context: RequestContext,
  secretNames: SecretNames,
  response: OperationResponse | undefined,
): string[] {
  const { body, caller, request, target: url, violations } = context
  const { rawHeaders } = request
  const found: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!isSecret(name, secretNames)) continue
    const isKnown = caller !== undefined && caller.token !== anyToken && name.toLowerCase() === 'authorization'
    if (!isKnown) found.push(...credentialsIn(name, rawHeaders[index + 1] ?? '', secretNames))
  }
  const at = url.indexOf('?')
  if (at !== -1)
    for (const pair of url.slice(at + 1).split('&'))
      if (isSecret(decodeName(nameOf(pair)), secretNames)) found.push(...new URLSearchParams(pair).values())
  const [, userinfo = ''] = url.includes('@') ? (/\/\/([^/@?]*)@/u.exec(url) ?? []) : []
  found.push(...userinfo.split(':'))
  // Only a message may repeat something of the body. A large body is not searched for nothing.
  const mayRepeatBody = body !== undefined && (violations.length > 0 || (response?.status ?? 500) >= 400)
  return mayRepeatBody ? [...found, ...secretsIn(body, secretNames)] : found
}

/** The credentials in a header field: in cookies those of a secret name, else each word, and what Basic has encoded. */
function credentialsIn(name: string, value: string, secretNames: SecretNames): string[] {
  if (/cookie/iu.test(name)) {
    const pairs = value.split(/[;,]\s*/u).map((pair) => [pair.split('=', 1)[0] ?? '', pair] as const)
    return pairs.flatMap(([cookie, pair]) => (isSecret(cookie, secretNames) ? [pair.slice(cookie.length + 1)] : []))
  }
  const words = value.split(/[\s,;"'<>]+/u).flatMap((word) => [word, word.replace(/^[\w-]+=(?=.*[^=])/u, '')])
  return /^basic /iu.test(value) ? [...words, ...words.flatMap(fromBase64)] : words
}

const fromBase64 = (word: string): string[] => {
  const text = Buffer.from(word, 'base64').toString()
  return [text, text.slice(text.indexOf(':') + 1)]
}

/** The texts of a body in properties of a secret name, or below one. */
function secretsIn(body: Json, secretNames: SecretNames): string[] {
  const found: string[] = []
  const left: { readonly value: Json; readonly isFound: boolean }[] = [{ value: body, isFound: false }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { isFound, value } = next
    if (typeof value === 'string' && isFound) found.push(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, item] of Object.entries<Json>(value as { readonly [key: string]: Json }))
      left.push({ value: item, isFound: isFound || isSecret(name, secretNames) })
  }
  return found
}
