/** A client of one service. It limits the pace, counts requests, ends the run after a 429 or repeated failures, and redacts secrets. */
import { setTimeout as wait } from 'node:timers/promises'

import { isLoopback } from '../addresses.js'
import type { Json } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import { jsonIn } from '../documents/parse-json.js'
import { createRedactor, redacted } from '../redaction.js'
import { type ConnectionFailure, type ReceivedResponse, sendRequest, type ServiceRequest } from '../send-request.js'
import { maxBodyBytes, RunCounter, RunError, type RunLimits, whyTooComplex } from './run-limits.js'

/** The number of failed connections in a row that ends a run. */
const maxFailuresInARow = 3

/** A response, with its body parsed. It contains no secret of the client. */
export interface ServiceResponse extends Omit<ReceivedResponse, 'bytes'> {
  readonly text: string
  /** The media type in lower case, without parameters. Empty if there is none. */
  readonly mediaType: string
  /** The parsed JSON body. Undefined: there is none, or it is not JSON. */
  readonly json: Json | undefined
}

export type Exchange = ServiceResponse | ConnectionFailure

interface ClientOptions {
  /** The base URL, with or without a path. */
  readonly url: string
  /** Header fields of every request, by lower-case name. Their values are secrets. */
  readonly headers?: Readonly<Record<string, string>>
  /** Texts that no response may contain: tokens. */
  readonly secrets?: readonly string[]
  /** Most requests a second. Default: no limit. */
  readonly pace?: number | undefined
  /** Time for each response, milliseconds. Default 30000. */
  readonly timeoutMs?: number | undefined
  /** The limits of all requests. Default: none. */
  readonly limits?: RunLimits | undefined
  /** True if tokens may be sent without encryption to another machine. Default false. */
  readonly allowPlainHttp?: boolean | undefined
}

export class ServiceClient {
  /** The base URL, without a slash at the end. */
  readonly url: string
  readonly redact: (text: string) => string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  readonly #intervalMs: number
  readonly #counter: RunCounter
  #nextAt = 0
  #failures = 0
  #isEnded = false

  /** Sends nothing. @throws {RunError} The URL is invalid, or tokens would be sent unencrypted. */
  constructor(options: ClientOptions) {
    const { headers = {}, limits = {}, pace, secrets = [], timeoutMs = 30_000 } = options
    this.url = parseBase(options)
    this.redact = createTextRedactor([...secrets, ...Object.values(headers)])
    this.#headers = headers
    this.#timeoutMs = timeoutMs
    this.#intervalMs = pace === undefined ? 0 : 1000 / pace
    this.#counter = new RunCounter(limits)
  }

  get sent(): number {
    return this.#counter.requests
  }

  /** True after the service has ended the run. Then send only requests that remove records that the run has created. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** The limit of the run that was reached, as a clause. */
  get limitReached(): string | undefined {
    return this.#counter.limitReached
  }

  /** Ends the run if a limit was reached. @throws {RunError} It was. */
  checkLimits(): void {
    const message = this.#counter.describeEnd()
    if (message !== undefined) throw this.#end(message)
  }

  /** When the run has ended, only the limits of one response apply. @throws {RunError} 429, no answer three times in a row, or a limit of the run. */
  async send({ body, headers, method, target }: ServiceRequest): Promise<Exchange> {
    const now = performance.now()
    if (this.#nextAt > now) await wait(this.#nextAt - now)
    this.#nextAt = Math.max(now, this.#nextAt) + this.#intervalMs
    if (!this.#isEnded) this.checkLimits()
    this.#counter.countRequest()
    const left = this.#isEnded ? { bytes: Infinity, ms: Infinity } : this.#counter.left
    const received = await sendRequest(
      new URL(this.url),
      { method, target, headers: { ...this.#headers, ...headers }, body },
      // The timer may be early by less than a millisecond, and the limit must then be reached.
      Math.min(this.#timeoutMs, Math.ceil(left.ms) + 1),
      Math.min(maxBodyBytes, left.bytes),
      (count) => (this.#counter.bytes += count),
    )
    if ('failure' in received) {
      if (!this.#isEnded) this.checkLimits()
      this.#failures += 1
      const failure = this.redact(received.failure)
      if (this.#failures < maxFailuresInARow) return { failure }
      throw this.#end(`The run ended after ${this.#failures} failed connections in a row: ${this.url} ${failure}.`)
    }
    this.#failures = 0
    if (received.status === 429) {
      const what = `${this.url} answered 429, too many requests${retryAfter(received)}`
      throw this.#end(`The run ended: ${what}. Try again later, with a lower --pace.`)
    }
    const failure = isJson(received.headers['content-type'] ?? '') ? whyTooComplex(received.bytes) : undefined
    return failure === undefined ? toServiceResponse(received, this.redact) : { failure }
  }

  #end(message: string): RunError {
    this.#isEnded = true
    return new RunError(message)
  }
}

const retryAfter = ({ headers }: ReceivedResponse): string => {
  const value = headers['retry-after'] ?? ''
  return /^\d{1,9}$/u.test(value) ? `, retry after ${value} seconds` : ''
}

function parseBase({ allowPlainHttp = false, secrets = [], headers = {}, url }: ClientOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/u.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '')
    throw new RunError(
      `The URL of the service must be a base URL such as https://api.example/v1, got "${hideUserInfo(url)}".`,
    )
  if (parsed.username !== '' || parsed.password !== '')
    throw new RunError('The URL of the service must not contain a credential. Give it with --caller.')
  const hasSecrets = secrets.length > 0 || Object.keys(headers).length > 0
  if (parsed.protocol === 'http:' && hasSecrets && !allowPlainHttp && !isLoopback(parsed.hostname))
    throw new RunError(
      `Tokens are sent only over https or to this machine, but ${parsed.origin} is neither. Use https, or --insecure.`,
    )
  return parsed.origin + parsed.pathname.replace(/\/+$/u, '')
}

const hideUserInfo = (url: string): string => url.replace(/\/\/[^/]*@/u, '//')

function toServiceResponse(received: ReceivedResponse, redact: (text: string) => string): ServiceResponse {
  const headers = Object.fromEntries(Object.entries(received.headers).map(([name, value]) => [name, redact(value)]))
  const contentType = headers['content-type'] ?? ''
  const text = redact(received.bytes.toString('utf8'))
  return {
    status: received.status,
    headers,
    text,
    mediaType: essenceOf(contentType),
    json: isJson(contentType) ? (jsonIn(text) as Json | undefined) : undefined,
  }
}

/** Creates a function that redacts long secrets in every encoding. A short secret would match ordinary words, so only whole values are redacted. */
function createTextRedactor(secrets: readonly string[]): (text: string) => string {
  const redactLong = createRedactor(secrets)
  const short = secrets.filter(({ length }) => length > 0 && length < 8)
  return (text) => {
    let result = redactLong(text)
    for (const secret of short)
      result = result.replaceAll(`"${secret}"`, `"${redacted}"`).replaceAll(`Bearer ${secret}`, `Bearer ${redacted}`)
    return result
  }
}
