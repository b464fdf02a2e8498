/** Sends requests to doubles over HTTP: with Node's HTTP client, or with a plain socket if that would change the request. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as openRequest } from 'node:http'
import { connect } from 'node:net'

import type { ExecutionContext } from 'ava'

import type { JsonObject } from './as-object-or-list.js'
import { asList, asObject } from './as-object-or-list.js'
import type { Served } from './double.js'
import { validated } from './validate-responses.js'

export interface Reply {
  readonly status: number
  /** By lower-case name. The values of a repeated field are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type Headers = Readonly<Record<string, string>>

/** Returns the credential of a caller of the package's fixtures. */
export const as = (caller: string): Headers => ({ authorization: `Bearer ${caller}-token` })

/** The header fields and the body of a request. */
export interface Content {
  readonly headers?: Headers
  readonly body?: string | Uint8Array | undefined
}

/** Uses connections again, but none that was idle for two seconds: a double closes it after five. */
const agent = new Agent({ keepAlive: true, timeout: 2000 })

/** Sends a request, and validates the response. */
export async function sendRequest(double: Served, method: string, path: string, content?: Content): Promise<Reply> {
  const url = new URL(`${double.url}${path}`)
  return validated(double, method, url.pathname + url.search, await exchange(url, method, content))
}

/** Sends a value as JSON, and validates the response. If the value is undefined, sends no body. */
export const sendJson = (
  double: Served,
  method: string,
  path: string,
  value: unknown,
  headers: Headers = {},
): Promise<Reply> =>
  value === undefined
    ? sendRequest(double, method, path, { headers })
    : sendRequest(double, method, path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(value),
      })

/**
 * Sends a request, and reads the response without validating it. Does not follow redirects.
 *
 * `fetch` takes twice the CPU time, and four times for the first request of a thread.
 */
export async function exchange(url: URL, method: string, { headers = {}, body }: Content = {}): Promise<Reply> {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const response = await new Promise<IncomingMessage>((settle, fail) => {
    const sent = openRequest(url, { agent, method, headers: { ...headers, ...length } })
    sent.on('response', settle).on('error', fail).end(body)
  })
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  const fields = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(', ')])
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(fields) as Headers, text }
}

/** Sends a request without a body. */
export const ask = (double: Served, method: string, path: string, headers: Headers = {}): Promise<Reply> =>
  sendRequest(double, method, path, { headers })

/** Sends a GET. */
export const get = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'GET', path, headers)

/** Sends a DELETE. */
export const del = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'DELETE', path, headers)

/** Parses the body of a response. */
export const json = (reply: Reply): unknown => JSON.parse(reply.text)

/** Lists insights as a caller of the package's fixtures. @returns The ids. */
export async function idsSeenBy(double: Served, caller: string): Promise<readonly unknown[]> {
  return asList(json(await get(double, '/insights', as(caller)))).map((insight) => asObject(insight)['id'])
}

/** Returns the violations in the header of a response. */
export function violationsOf(reply: Reply): readonly JsonObject[] {
  return asList(JSON.parse(reply.headers['sl-violations'] ?? '[]')).map(asObject)
}

/** Asserts that a response is a complete and well-formed Error, with a status and, if given, exactly this message. */
export function assertError(t: ExecutionContext, reply: Reply, status: number, message?: string): void {
  t.is(reply.status, status, reply.text)
  t.is(reply.headers['content-type'], 'application/json')
  t.is(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
  t.regex(reply.headers['x-request-id'] ?? '', /./u)
  const body = asObject(json(reply))
  t.deepEqual(Object.keys(body), ['error', 'message'])
  t.is(body['error'], status)
  if (message === undefined) t.regex(String(body['message']), /^\S.*\.$/su)
  else t.is(body['message'], message)
}

/** Returns the text of an HTTP request: the request line, the header fields, an empty line and the body. */
export function wire(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n')
}

/** Sends bytes unchanged and reads the response. */
export async function raw(double: Served, request: string | Uint8Array): Promise<Reply> {
  const [reply] = await rawAll(double, request, 1)
  if (!reply) throw new Error('The connection was closed without a response')
  return reply
}

/** Sends bytes unchanged, and reads responses until there are `atMost` or the connection is closed. */
export async function rawAll(
  double: Served,
  request: string | Uint8Array,
  atMost = Number.POSITIVE_INFINITY,
): Promise<readonly Reply[]> {
  const { hostname, port } = new URL(double.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const bodiless = String(request).startsWith('HEAD ')
  const chunks: Buffer[] = []
  try {
    await once(socket, 'connect')
    socket.write(request)
    for await (const chunk of socket) {
      chunks.push(Buffer.from(chunk))
      const replies = parseReplies(Buffer.concat(chunks), bodiless)
      if (replies.length >= atMost) return await validateAll(double, request, replies)
    }
    return await validateAll(double, request, parseReplies(Buffer.concat(chunks), bodiless))
  } finally {
    socket.destroy()
  }
}

/** Validates responses by their requests, in order. A response without a request line must be an Error. */
async function validateAll(
  double: Served,
  request: string | Uint8Array,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const text = typeof request === 'string' ? request : Buffer.from(request).toString('latin1')
  const lines = [...text.matchAll(/([A-Z-]{3,}) (\S+) HTTP\/1\.[01]\r\n/gu)]
  return Promise.all(
    replies.map((reply, index) => {
      const [, method = '', target = ''] = lines[index] ?? []
      return validated(double, method, target, reply)
    }),
  )
}

/** Parses the complete responses at the start of bytes. */
function parseReplies(bytes: Buffer, bodiless: boolean): readonly Reply[] {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return []
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(line)?.[1])
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/u.exec(field) ?? []
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  const hasBody = !bodiless && status !== 204 && status >= 200
  const start = end + 4
  const after = start + (hasBody ? Number(headers['content-length'] ?? 0) : 0)
  if (bytes.length < after) return []
  return [
    { status, headers, text: bytes.toString('utf8', start, after) },
    ...parseReplies(bytes.subarray(after), bodiless),
  ]
}
