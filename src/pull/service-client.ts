/** A client of one service. It limits the pace, counts requests, ends the run after a 429 or repeated failures, and redacts secrets. */
import { setTimeout as wait } from 'node:timers/promises'

import { essenceOf, isJson } from '../contract/bodies/media-types.js'
import type { Json } from '../contract/contract.js'
import { isLoopback } from '../host-name.js'
import { createRedactor, redacted } from '../redaction.js'
import { createRunCounter, maxBodyBytes, RunError, whyTooComplex } from './run-limits.js'
import type { RunLimits } from './run-limits.js'
import type { ConnectionFailure, ReceivedResponse } from './send-request.js'
import { sendRequest } from './send-request.js'

/** The number of failed connections in a row that ends a run. */
const maxFailuresInARow = 3

/** A request relative to the base URL of the service. */
export interface ServiceRequest {
  readonly method: string
  /** Path and query, percent-encoded, from the base URL. Starts with a slash. */
  readonly target: string
  /** Header fields by lower-case name, with the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** A response, with its body parsed. It contains no secret of the client. */
export interface ServiceResponse extends Omit<ReceivedResponse, 'bytes'> {
  readonly text: string
  /** The media type in lower case, without parameters. Empty if there is none. */
  readonly mediaType: string
  /** The parsed JSON body. Undefined: there is none, or it is not JSON. */
  readonly json: Json | undefined
}

/** The result of a request. */
export type Exchange = ServiceResponse | ConnectionFailure

/** The options of a client. */
export interface ClientOptions {
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

/** A client of one service. */
export interface ServiceClient {
  /** The base URL, without a slash at the end. */
  readonly url: string
  /** The number of requests so far. */
  readonly sent: number
  /** True after the service has ended the run. Then send only requests that remove records that the run has created. */
  readonly isEnded: boolean
  /**
   * Sends a request. If the service has ended the run, or a limit has, nothing limits it but the time and size of one response.
   *
   * @throws {RunError} The service answered 429, or did not answer three times in a row; or a limit of the run was reached.
   */
  send(request: ServiceRequest): Promise<Exchange>
  /** Returns the limit of the run that was reached, as a clause. Undefined: none. */
  limitReached(): string | undefined
  /** Ends the run if a limit was reached. @throws {RunError} It was. */
  checkLimits(): void
  /** Removes the secrets of the client from a text. */
  redact(text: string): string
}

/** Creates a client. Sends nothing. @throws {RunError} The URL is invalid, or tokens would be sent unencrypted. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { headers = {}, limits = {}, pace, secrets = [], timeoutMs = 30_000 } = options
  const base = parseBase(options)
  const redact = createTextRedactor([...secrets, ...Object.values(headers)])
  const basePath = new URL(base).pathname.replace(/\/+$/u, '')
  const intervalMs = pace === undefined ? 0 : 1000 / pace
  const counter = createRunCounter(limits)
  let nextAt = 0
  let failures = 0
  let isEnded = false
  const end = (message: string): RunError => {
    isEnded = true
    return new RunError(message)
  }
  const checkLimits = (): void => {
    const message = counter.describeEnd()
    if (message !== undefined) throw end(message)
  }
  return {
    url: base,
    get sent() {
      return counter.requests
    },
    get isEnded() {
      return isEnded
    },
    redact,
    limitReached: counter.limitReached,
    checkLimits,
    send: async (request) => {
      const now = performance.now()
      if (nextAt > now) await wait(nextAt - now)
      nextAt = Math.max(now, nextAt) + intervalMs
      if (!isEnded) checkLimits()
      counter.countRequest()
      const { body, method, target } = request
      const left = isEnded ? { bytes: Infinity, ms: Infinity } : counter.left()
      const received = await sendRequest(
        {
          method,
          origin: new URL(base),
          target: basePath + target,
          headers: { accept: 'application/json', ...headers, ...request.headers },
          body,
        },
        // The timer may be early by less than a millisecond, and the limit must then be reached.
        { timeoutMs: Math.min(timeoutMs, Math.ceil(left.ms) + 1), maxBytes: Math.min(maxBodyBytes, left.bytes) },
        counter.countBytes,
      )
      if ('failure' in received) {
        if (!isEnded) checkLimits()
        failures += 1
        if (failures >= maxFailuresInARow) {
          const what = `${base} ${redact(received.failure)}`
          throw end(`The run ended after ${failures} failed connections in a row: ${what}.`)
        }
        return { failure: redact(received.failure) }
      }
      failures = 0
      if (received.status === 429) {
        throw end(
          `The run ended: ${base} answered 429, too many requests${retryAfter(received)}. Try again later, with a lower --pace.`,
        )
      }
      const tooComplex = isJson(received.headers['content-type'] ?? '') ? whyTooComplex(received.bytes) : undefined
      return tooComplex === undefined ? toServiceResponse(received, redact) : { failure: tooComplex }
    },
  }
}

const retryAfter = ({ headers }: ReceivedResponse): string => {
  const value = headers['retry-after'] ?? ''
  return /^\d{1,9}$/u.test(value) ? `, retry after ${value} seconds` : ''
}

function parseBase({ allowPlainHttp = false, secrets = [], headers = {}, url }: ClientOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/u.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '') {
    throw new RunError(
      `The URL of the service must be a base URL such as https://api.example/v1, got "${hideUserInfo(url)}".`,
    )
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw new RunError('The URL of the service must not contain a credential. Give it with --caller.')
  const hasSecrets = secrets.length > 0 || Object.keys(headers).length > 0
  if (parsed.protocol === 'http:' && hasSecrets && !allowPlainHttp && !isLoopback(parsed.hostname)) {
    throw new RunError(
      `Tokens are sent only over https or to this machine, but ${parsed.origin} is neither. Use https, or --insecure.`,
    )
  }
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
    json: isJson(contentType) ? parseJson(text) : undefined,
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
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
