/** Redacts the secrets of a request from the journal, the log and the response. */
import type { Contract, OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import type { Redact } from '../redaction.js'
import { createRedactor, isSecretName, minSecretLength, redacted } from '../redaction.js'
import type { Caller } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { tokensOf } from '../state/find-caller-by-token.js'
import type { IsSecretName } from './find-secrets.js'
import { findSecrets, queryPairs, secretSegments } from './find-secrets.js'
import type { RequestContext } from './request-context.js'

/** The secrets of every request. */
export interface KnownSecrets {
  /** The tokens of its callers are secret in every sandbox. */
  readonly root: Sandbox
  /** Redacts the token of the control plane. Undefined: there is none. */
  readonly adminToken: Redact | undefined
  /** The contract of the service, which names further places of credentials. */
  readonly contract: Pick<Contract, 'secretNames' | 'secretPaths'>
}

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
  const { secretNames } = contract
  // The name of a deepObject parameter is `login[pin]`.
  const isSecret: IsSecretName = (name) =>
    isSecretName(name) ||
    (secretNames.size > 0 &&
      name
        .toLowerCase()
        .split(/[[\]]+/u)
        .some((part) => secretNames.has(part)))
  return new Redaction(known, isSecret)
}

/**
 * Creates the redaction of a request. The secrets are the credentials in the request, the token of the control plane, and the tokens of
 * the callers of its sandbox and of the root.
 *
 * @param response - Undefined if there is none yet.
 */
export function createRedaction(context: RequestContext, known: KnownSecrets, response?: OperationResponse): Redaction {
  const redaction = knownRedaction(context.sandbox, known)
  const inPath = secretSegments(context, known.contract)
  const unknown = [...inPath, ...findSecrets(context, redaction.isSecretName, response)].filter(
    (value) => value.length >= minSecretLength && redaction.text(value) === value,
  )
  return unknown.length + inPath.length === 0 ? redaction : redaction.withOwnSecrets(unknown, inPath)
}

/** Redacts the secrets of a request. */
export class Redaction {
  readonly isSecretName: IsSecretName
  /** True if the request has a credential that no caller has. The redaction then contains that credential, so the journal must not keep it. */
  readonly hasOwnSecrets: boolean
  readonly #redactors: readonly Redact[]
  readonly #segments: readonly string[]

  constructor(
    redactors: readonly Redact[],
    isSecret: IsSecretName,
    { hasOwnSecrets = false, segments = [] }: { hasOwnSecrets?: boolean; segments?: readonly string[] } = {},
  ) {
    this.#redactors = redactors
    this.#segments = segments
    this.isSecretName = isSecret
    this.hasOwnSecrets = hasOwnSecrets
  }

  /**
   * Returns a redaction that redacts further secrets: those that only this request has.
   *
   * @param segments - Segments of the path that are secrets, also short ones.
   */
  withOwnSecrets(secrets: readonly string[], segments: readonly string[]): Redaction {
    return new Redaction([...this.#redactors, createRedactor(secrets)], this.isSecretName, {
      hasOwnSecrets: true,
      segments,
    })
  }

  text(text: string): string {
    let result = text
    for (const redact of this.#redactors) result = redact(result)
    return result
  }

  /** Redacts a URL: the userinfo, segments that are secrets, and the values of parameters with a secret name, such as `access_token`. */
  url(url: string): string {
    const start = url.indexOf('?')
    const path = start === -1 ? url : url.slice(0, start)
    const withoutUser = path.includes('@') ? path.replace(/(\/\/)[^/@]*@/u, `$1${redacted}@`) : path
    const shownPath = this.#segments.reduce(
      (shown, segment) => shown.replaceAll(`/${segment}`, `/${redacted}`),
      withoutUser,
    )
    return this.text(start === -1 ? shownPath : `${shownPath}?${this.pairs(url.slice(start + 1))}`)
  }

  /** Redacts the pairs of a query or a form that have a secret name. Other secrets stay. */
  pairs(text: string): string {
    const pairs = queryPairs(`?${text}`)
    // Most texts have none, so they need no copy.
    if (!pairs.some(({ name }) => this.isSecretName(name))) return text
    return pairs.map((pair) => (this.isSecretName(pair.name) ? `${pair.encodedName}=${redacted}` : pair.text)).join('&')
  }

  /** Redacts header fields. Those with several values are joined by commas. */
  headers(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
    const result: Record<string, string> = {}
    for (const name in headers) {
      const value = String(headers[name])
      result[this.text(name)] = this.isSecretName(name)
        ? redacted
        : value.includes('?')
          ? this.url(value)
          : this.text(value)
    }
    return result
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
