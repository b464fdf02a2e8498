/** Sends one request to a service that may misbehave. Limits the time and the size, and follows no redirect. */
import { type Agent, request as requestHttp } from 'node:http'

import { errorCode, errorMessage } from './error-message.js'

const maxHeaderBytes = 64 * 1024

export interface ServiceRequest {
  readonly method: string
  /** Path and query, percent-encoded, from the base URL. Starts with a slash, and is sent unchanged. */
  readonly target: string
  /** Header fields by lower-case name, with the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface ReceivedResponse {
  readonly status: number
  /** Header fields by lower-case name. Repeated fields are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

export interface ConnectionFailure {
  /** The reason, as the end of a sentence: `closed the connection`. */
  readonly failure: string
  /** True if the body has more than the limit, so that it was not read to its end. */
  readonly isTooLarge?: boolean
}

/** Sends a request on a separate connection. Never throws. @param onBytes - Called with the size of each part of the body that is received. @param way - The agent of a proxy, and a signal that ends the request. Default: none. */
export async function sendRequest(
  base: URL,
  { body, headers, method, target }: ServiceRequest,
  timeoutMs: number,
  maxBytes: number,
  onBytes: (count: number) => void,
  way: { readonly agent?: Agent | undefined; readonly stop?: AbortSignal | undefined } = {},
): Promise<ReceivedResponse | ConnectionFailure> {
  // Loaded on use: every start loads this file.
  const openRequest = base.protocol === 'https:' ? (await import('node:https')).request : requestHttp
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const fail = (error: unknown): void => resolve({ failure: describeFailure(error, signal, timeoutMs), isTooLarge })
    let isTooLarge = false
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = openRequest(
      base,
      {
        path: base.pathname.replace(/\/+$/u, '') + target,
        method,
        headers: { ...headers, ...length },
        agent: way.agent ?? false,
        signal: way.stop ? AbortSignal.any([signal, way.stop]) : signal,
        maxHeaderSize: maxHeaderBytes,
      },
      (response) => {
        const { headers: fields, statusCode: status = 0 } = response
        const received = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
        )
        // Some services send the body of a GET, which is no HTTP, and which all clients ignore.
        if (method === 'HEAD') resolve({ status, headers: received, bytes: Buffer.alloc(0) })
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          onBytes(chunk.length)
          if (size <= maxBytes) chunks.push(chunk)
          else {
            isTooLarge = true
            // Before the end of a response that has arrived whole.
            fail(new Error(`sent more than ${maxBytes / 1024 / 1024} MiB`))
            request.destroy()
          }
        })
        response.on('error', fail)
        response.on('end', () => {
          if (!response.complete) return fail(new Error('closed the connection before the response was complete'))
          resolve({ status, headers: received, bytes: Buffer.concat(chunks) })
        })
      },
    )
    request.on('error', fail)
    // Node emits a separate event for a 1xx response. An upgrade that was not requested would leave the socket open.
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new Error('upgraded the connection to another protocol'))
    })
    request.end(body)
  })
}

const failures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refuses connections'],
  ['ECONNRESET', 'closed the connection'],
  ['ENOTFOUND', 'has a host name that cannot be resolved'],
  ['EAI_AGAIN', 'has a host name that cannot be resolved'],
  ['EPIPE', 'closed the connection'],
  ['HPE_HEADER_OVERFLOW', `sent a header of more than ${maxHeaderBytes / 1024} KiB`],
])

function describeFailure(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `did not complete its response within ${Number((timeoutMs / 1000).toPrecision(3))} seconds`
  const code = errorCode(error)
  if (code.startsWith('HPE_') && !failures.has(code)) return `sent a response that is not HTTP (${errorMessage(error)})`
  if (/CERT|LEAF_SIGNATURE/u.test(code))
    return `has a certificate that is not trusted (${errorMessage(error)}; NODE_EXTRA_CA_CERTS adds authorities)`
  return failures.get(code) ?? errorMessage(error)
}
