/** A client of one service. It limits the pace, counts requests, ends the run after a 429 or repeated failures, and redacts secrets. */
import type { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

import { isLoopback } from '../addresses.js'
import type { Json } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import { mapValues } from '../documents/object.js'
import { jsonIn, maxDocumentDepth, maxDocumentValues, measureJson } from '../documents/parse-json.js'
import { plural } from '../error-message.js'
import { createRedactor, redacted } from '../redaction.js'
import { type ConnectionFailure, type ReceivedResponse, sendRequest, type ServiceRequest } from '../send-request.js'

/** The error of `pull` and `verify`: a run that cannot start or continue. The message is for the user. */
export class RunError extends Error {
  override readonly name = 'RunError'
}

const maxFailuresInARow = 3

/** The largest body that is read, in bytes: 10,000 records of 6 KiB. */
const maxBodyBytes = 64 * 1024 * 1024

/** The deepest nesting of a response. A fixture that has an array of records as a collection is one level deeper. */
const maxDepth = maxDocumentDepth - 1

/** A response, with its body parsed. It contains no secret of the client. */
export interface ServiceResponse extends Omit<ReceivedResponse, 'bytes'> {
  readonly text: string
  /** The media type in lower case, without parameters. Empty if there is none. */
  readonly mediaType: string
  /** The parsed JSON body. Undefined: there is none, or it is not JSON. */
  readonly json: Json | undefined
}

export type Exchange = ServiceResponse | ConnectionFailure

export const isSuccess = (exchange: Exchange): exchange is ServiceResponse =>
  'status' in exchange && exchange.status < 300

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
  /** The most requests, bytes of all bodies that are received, and milliseconds since the first request. Default: no limits. */
  readonly limits?: Partial<typeof noLimits> | undefined
  /** True if tokens may be sent without encryption to another machine. Default false. */
  readonly allowPlainHttp?: boolean | undefined
  /** Keeps connections. Default: each request has its own. */
  readonly agent?: Agent | undefined
}

export type ServiceClient = ReturnType<typeof createServiceClient>

/** Sends nothing. @throws {RunError} The URL is invalid, or tokens would be sent unencrypted. */
export function createServiceClient(options: ClientOptions) {
  const { headers: fixed = {}, limits, pace = Infinity, secrets = [], timeoutMs = 30_000 } = options
  /** The base URL, without a slash at the end. */
  const url = parseBase(options)
  const redact = createTextRedactor([...secrets, ...Object.values(fixed)])
  const { maxBytes, maxMs, maxRequests } = { ...noLimits, ...limits }
  let startedAt: number | undefined
  let bytes = 0
  let nextAt = 0
  let failures = 0
  const elapsedMs = (): number => (startedAt === undefined ? 0 : performance.now() - startedAt)

  function end(message: string): RunError {
    client.isEnded = true
    return new RunError(message)
  }

  const client = {
    url,
    redact,
    /** The header fields of every request. */
    headerNames: Object.keys(fixed),
    sent: 0,
    /** True after the service has ended the run. Then send only requests that remove records that the run has created. */
    isEnded: false,

    /** The limit of the run that was reached, as a clause with its flag. */
    get limitReached(): string | undefined {
      if (client.sent >= maxRequests) return `the limit of ${maxRequests} requests was reached (--max-requests)`
      if (bytes >= maxBytes) return `the limit of ${inBytes(maxBytes)} for all responses was reached (--max-bytes)`
      return elapsedMs() < maxMs ? undefined : `the limit of ${maxMs / 1000} s for the run was reached (--max-time)`
    },

    /** Ends the run if a limit was reached. @throws {RunError} It was. It says after what, and what to raise. */
    checkLimits: (): void => {
      const limit = client.limitReached
      if (limit === undefined) return
      const read = `${plural(client.sent, 'request')}, ${inBytes(bytes)} and ${(elapsedMs() / 1000).toFixed(1)} s`
      throw end(`The run ended: ${limit} after ${read}. Raise it to read more.`)
    },

    /** When the run has ended, only the limits of one response apply. @throws {RunError} 429, no answer three times in a row, or a limit of the run. */
    send: async ({ body, headers: own, method, target }: ServiceRequest): Promise<Exchange> => {
      const now = performance.now()
      if (nextAt > now) await wait(nextAt - now)
      nextAt = Math.max(now, nextAt) + 1000 / pace
      if (!client.isEnded) client.checkLimits()
      startedAt ??= performance.now()
      client.sent += 1
      const leftBytes = client.isEnded ? Infinity : maxBytes - bytes
      const leftMs = client.isEnded ? Infinity : maxMs - elapsedMs()
      const received = await sendRequest(
        new URL(url),
        { method, target, headers: { ...fixed, ...own }, body },
        // The timer may be early by less than a millisecond, and the limit must then be reached.
        Math.min(timeoutMs, Math.ceil(leftMs) + 1),
        Math.min(maxBodyBytes, leftBytes),
        (count) => (bytes += count),
        { agent: options.agent },
      )
      if ('failure' in received) {
        if (!client.isEnded) client.checkLimits()
        failures += 1
        const failure = redact(received.failure)
        if (failures < maxFailuresInARow) return { failure }
        throw end(`The run ended after ${failures} failed connections in a row: ${url} ${failure}.`)
      }
      failures = 0
      if (received.status === 429) {
        const seconds = received.headers['retry-after'] ?? ''
        const retry = /^\d{1,9}$/u.test(seconds) ? `, retry after ${seconds} seconds` : ''
        const what = `${url} answered 429, too many requests${retry}`
        throw end(`The run ended: ${what}. Try again later, with a lower --pace.`)
      }
      const failure = isJson(received.headers['content-type'] ?? '') ? whyTooComplex(received.bytes) : undefined
      if (failure !== undefined) return { failure }
      const headers = mapValues(received.headers, redact)
      const contentType = headers['content-type'] ?? ''
      const text = redact(received.bytes.toString('utf8'))
      const json = isJson(contentType) ? (jsonIn(text) as Json | undefined) : undefined
      return { status: received.status, headers, text, mediaType: essenceOf(contentType), json }
    },
  }
  return client
}

function parseBase({ allowPlainHttp = false, secrets = [], headers = {}, url }: ClientOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const shown = url.replace(/\/\/[^/]*@/u, '//')
  if (!parsed || !/^https?:$/u.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '')
    throw new RunError(`The URL of the service must be a base URL such as https://api.example/v1, got "${shown}".`)
  if (parsed.username !== '' || parsed.password !== '')
    throw new RunError('The URL of the service must not contain a credential. Give it with --caller.')
  const hasSecrets = secrets.length > 0 || Object.keys(headers).length > 0
  const why = `Tokens are sent only over https or to this machine, but ${parsed.origin} is neither`
  if (parsed.protocol === 'http:' && hasSecrets && !allowPlainHttp && !isLoopback(parsed.hostname))
    throw new RunError(`${why}. Use https, or --insecure.`)
  return parsed.origin + parsed.pathname.replace(/\/+$/u, '')
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

const noLimits = { maxBytes: Infinity, maxMs: Infinity, maxRequests: Infinity }

const inBytes = (count: number): string => `${count.toLocaleString('en')} bytes`

/** Returns the reason why a JSON body is not parsed, as a clause after "it". Undefined: it has the limits of files. */
function whyTooComplex(body: Uint8Array): string | undefined {
  const { depth, values } = measureJson(body)
  if (depth > maxDepth)
    return `sent JSON nested more than ${maxDepth} levels deep; a fixture has at most ${maxDocumentDepth}`
  const most = maxDocumentValues.toLocaleString('en')
  return values > maxDocumentValues ? `sent JSON of more than ${most} values, the maximum` : undefined
}
