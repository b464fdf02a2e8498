/** Redacts the secrets of a request from the journal, the log and the response. */
import type { OperationResponse, SecretPath } from '../contract/contract.js'
import { segmentsAfter } from '../contract/parameters/secret-paths.js'
import type { Violation } from '../contract/violation.js'
import type { Redact } from '../redaction.js'
import { createRedactor, isSecretName, minSecretLength, redacted } from '../redaction.js'
import type { Caller } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { tokensOf } from '../state/tokens.js'
import type { IsSecretName } from './find-secrets.js'
import { findSecrets, joinPairs, namesSecret, pairsOf, secretsInPath } from './find-secrets.js'
import type { KnownSecrets, RequestContext } from './request-context.js'

/** The redactor of each list of callers. A list is replaced, never changed. */
const redactorsByCallers = new WeakMap<readonly Caller[], Redact>()

/** A token of HTTP basic is `user:password`: the password alone is a secret too. */
const withPassword = (token: string): readonly string[] => [token, token.slice(token.indexOf(':') + 1)]

function redactorOf(callers: readonly Caller[]): Redact {
  let redact = redactorsByCallers.get(callers)
  if (!redact)
    redactorsByCallers.set(callers, (redact = createRedactor(callers.flatMap(tokensOf).flatMap(withPassword))))
  return redact
}

/** Creates the redaction of the secrets that are known before a request. */
function knownRedaction({ store }: Sandbox, { adminToken, contract, root }: KnownSecrets): Redaction {
  const callers = new Set([store.committed.callers, store.pending.callers, root.store.committed.callers])
  const known = [...callers].map(redactorOf)
  if (adminToken) known.push(adminToken)
  const { secretNames, secretPaths } = contract
  // The name of a deepObject parameter is `login[pin]`, and some forms write `login.pin`.
  const isSecret: IsSecretName = (name) =>
    isSecretName(name) ||
    (secretNames.size > 0 &&
      name
        .toLowerCase()
        .split(/[[\].]+/u)
        .some((part) => secretNames.has(part)))
  return new Redaction(known, isSecret, secretPaths)
}

/**
 * Creates the redaction of a request. The secrets are the credentials in the request, the token of the control plane, and the tokens of
 * the callers of its sandbox and of the root.
 *
 * @param response - Undefined if there is none yet.
 */
export function createRedaction(context: RequestContext, known: KnownSecrets, response?: OperationResponse): Redaction {
  const redaction = knownRedaction(context.sandbox, known)
  const { isSecretName: isSecret } = redaction
  const pairs = pairsOf(context.target, isSecret).filter((pair) => pair.isSecret)
  const inPath = context.isControl ? [] : secretsInPath(context, known.contract)
  const unknown = [...inPath.map(({ value }) => value), ...findSecrets(context, isSecret, pairs, response)].filter(
    (value) => value.length >= minSecretLength && redaction.text(value) === value,
  )
  const places = [
    ...inPath.map(({ segment }) => [segment, `/${redacted}`] as const),
    ...pairs.flatMap((pair) => [pair.text, pair.shortText].map((text) => [text, joinPairs([pair])] as const)),
  ].filter(([received, shown]) => !shown.startsWith(received) && redaction.text(received) !== shown)
  return unknown.length + places.length === 0 ? redaction : redaction.withOwnSecrets(unknown, places)
}

/** A part of the request target that contains a secret, and its replacement. */
type SecretPlace = readonly [received: string, shown: string]

/** Redacts the secrets of a request. */
export class Redaction {
  readonly isSecretName: IsSecretName
  /** True if the request has a credential that no caller has. The redaction then contains that credential, so the journal must not keep it. */
  readonly hasOwnSecrets: boolean
  readonly #redactors: readonly Redact[]
  readonly #secretPaths: readonly SecretPath[]
  readonly #places: readonly SecretPlace[]

  constructor(
    redactors: readonly Redact[],
    isSecret: IsSecretName,
    secretPaths: readonly SecretPath[],
    own?: readonly SecretPlace[],
  ) {
    this.#redactors = redactors
    this.#secretPaths = secretPaths
    this.#places = own ?? []
    this.isSecretName = isSecret
    this.hasOwnSecrets = own !== undefined
  }

  /**
   * Returns a redaction that redacts further secrets: those that only this request has.
   *
   * @param places - Parts of the request target with secrets, also short ones. A message may quote them.
   */
  withOwnSecrets(secrets: readonly string[], places: readonly SecretPlace[]): Redaction {
    const escaped = places.map(([received, shown]) => [JSON.stringify(received).slice(1, -1), shown] as const)
    const redactors = [...this.#redactors, createRedactor(secrets)]
    return new Redaction(redactors, this.isSecretName, this.#secretPaths, [...places, ...escaped])
  }

  text(text: string): string {
    let result = text
    for (const [received, shown] of this.#places) result = result.replaceAll(received, () => shown)
    for (const redact of this.#redactors) result = redact(result)
    return result
  }

  /** Redacts a URL: the userinfo, and the values of parameters with a secret name, such as `access_token`. */
  url(url: string): string {
    const withoutUser = url.includes('@') ? url.replace(/(\/\/)[^/@?#]*@/u, `$1${redacted}@`) : url
    return this.text(url.includes('=') ? joinPairs(pairsOf(withoutUser, this.isSecretName)) : withoutUser)
  }

  /** Redacts header fields. Those with several values are joined by commas. */
  headers(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
    const result: Record<string, string> = {}
    for (const name in headers) {
      const value = String(headers[name])
      const isSecret = this.isSecretName(name) || (/[{<"]/u.test(value) && namesSecret(value, this.isSecretName, true))
      result[this.text(name)] = isSecret ? redacted : this.#link(value)
    }
    return result
  }

  /** Redacts a header field, which may be a link to a secret path. */
  #link(value: string): string {
    const segments = this.#secretPaths.length > 0 && value.includes('/') ? segmentsAfter(value, this.#secretPaths) : []
    return this.url(segments.reduce((shown, segment) => shown.replace(segment, () => `/${redacted}`), value))
  }

  violations(violations: readonly Violation[]): readonly Violation[] {
    return violations.map((violation) => ({
      ...violation,
      location: violation.location.map((part) => this.text(part)),
      message: this.text(violation.message),
    }))
  }

  /** Redacts every string in a JSON value, property names included. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.json(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.text(name), this.json(item)]))
  }

  /** Redacts the message and the stack of an error. @returns The same error if it contains no secret. */
  error(error: unknown): unknown {
    if (!(error instanceof Error)) return this.text(String(error))
    const { message, name, stack = '' } = error
    if (this.text(stack) === stack && this.text(message) === message) return error
    return Object.assign(new Error(this.text(message)), { name, stack: this.text(stack) })
  }
}
