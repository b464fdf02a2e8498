import { maxDocumentDepth, maxDocumentValues, measureJson } from '../documents/parse-json.js'

/** The error of `pull` and `verify`: a run that cannot start or continue. The message is for the user. */
export class RunError extends Error {
  override readonly name = 'RunError'
}

/** The largest body that is read, in bytes: 10,000 records of 6 KiB. */
export const maxBodyBytes = 64 * 1024 * 1024

/** The deepest nesting of a response. A fixture that has an array of records as a collection is one level deeper. */
const maxDepth = maxDocumentDepth - 1

export interface RunLimits {
  readonly maxRequests?: number
  /** The bytes of all bodies that are received. */
  readonly maxBytes?: number
  /** The time since the first request, milliseconds. */
  readonly maxMs?: number
}

export class RunCounter {
  requests = 0
  bytes = 0
  #startedAt: number | undefined
  readonly #limits: Required<RunLimits>

  constructor({ maxBytes = Infinity, maxMs = Infinity, maxRequests = Infinity }: RunLimits) {
    this.#limits = { maxBytes, maxMs, maxRequests }
  }

  get #elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt
  }

  /** Returns what one response may still take. */
  get left(): { readonly bytes: number; readonly ms: number } {
    return { bytes: this.#limits.maxBytes - this.bytes, ms: this.#limits.maxMs - this.#elapsedMs }
  }

  /** The limit that was reached, as a clause with its flag. */
  get limitReached(): string | undefined {
    const { maxBytes, maxMs, maxRequests } = this.#limits
    if (this.requests >= maxRequests) return `the limit of ${maxRequests} requests was reached (--max-requests)`
    if (this.bytes >= maxBytes) return `the limit of ${inBytes(maxBytes)} for all responses was reached (--max-bytes)`
    return this.#elapsedMs < maxMs ? undefined : `the limit of ${maxMs / 1000} s for the run was reached (--max-time)`
  }

  countRequest(): void {
    this.#startedAt ??= performance.now()
    this.requests += 1
  }

  /** Says that a limit ended the run, after what, and what to raise, in sentences. Undefined: no limit was reached. */
  describeEnd(): string | undefined {
    const limit = this.limitReached
    const requests = `${this.requests} ${this.requests === 1 ? 'request' : 'requests'}`
    const read = `${requests}, ${inBytes(this.bytes)} and ${(this.#elapsedMs / 1000).toFixed(1)} s`
    return limit === undefined ? undefined : `The run ended: ${limit} after ${read}. Raise it to read more.`
  }
}

const inBytes = (count: number): string => `${count.toLocaleString('en')} bytes`

/** Returns the reason why a JSON body is not parsed, as a clause after "it". Undefined: it has the limits of files. */
export function whyTooComplex(body: Uint8Array): string | undefined {
  const { depth, values } = measureJson(body)
  if (depth > maxDepth)
    return `sent JSON nested more than ${maxDepth} levels deep; a fixture has at most ${maxDocumentDepth}`
  if (values > maxDocumentValues)
    return `sent JSON of more than ${maxDocumentValues.toLocaleString('en')} values, the maximum`
  return undefined
}
