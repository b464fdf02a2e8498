/** Sends requests to doubles over HTTP: with Node's HTTP client, or with a plain socket if that would change the request. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as openRequest } from 'node:http'
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'

import type { ExecutionContext } from 'ava'

import { asList, asObject, type JsonObject } from './as-object-or-list.js'
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

export const ask = (double: Served, method: string, path: string, headers: Headers = {}): Promise<Reply> =>
  sendRequest(double, method, path, { headers })

export const get = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'GET', path, headers)

export const del = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'DELETE', path, headers)

export const json = (reply: Reply): unknown => JSON.parse(reply.text)

/** Lists insights as a caller of the package's fixtures. @returns The ids. */
export const idsSeenBy = async (double: Served, caller: string): Promise<readonly unknown[]> =>
  asList(json(await get(double, '/insights', as(caller)))).map((insight) => asObject(insight)['id'])

export const violationsOf = (reply: Reply): readonly JsonObject[] =>
  asList(JSON.parse(reply.headers['sl-violations'] ?? '[]')).map(asObject)

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
export const wire = (line: string, headers: readonly string[] = [], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n')

/** Opens a connection. */
export function connectTo({ url }: Served, options: Partial<TcpNetConnectOpts> = {}): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port), ...options })
}

/** Sends bytes unchanged and reads the response. */
export async function raw(double: Served, request: string | Uint8Array): Promise<Reply> {
  const [reply] = await rawAll(double, request, 1)
  if (!reply) throw new Error('The connection was closed without a response')
  return reply
}

/** Sends a request line unchanged, with the credential of a caller, as the last request of its connection. */
export const rawAs = (double: Served, caller: string, line: string): Promise<Reply> =>
  raw(double, wire(line, [`Authorization: Bearer ${caller}-token`, 'Connection: close']))

/** Sends bytes unchanged, and reads responses until there are `atMost` or the connection is closed. */
export async function rawAll(
  double: Served,
  request: string | Uint8Array,
  atMost = Number.POSITIVE_INFINITY,
): Promise<readonly Reply[]> {
  const text = Buffer.from(request).toString('latin1')
  const lines = [...text.matchAll(/([A-Z-]{3,}) (\S+) HTTP\/1\.[01]\r\n/gu)]
  const methods = lines.map(([, method = '']) => method)
  const socket = connectTo(double)
  const chunks: Buffer[] = []
  let replies: readonly Reply[] = []
  try {
    await once(socket, 'connect')
    socket.write(request)
    for await (const chunk of socket) {
      chunks.push(Buffer.from(chunk))
      ;({ replies } = readReplies(Buffer.concat(chunks), methods))
      if (replies.length >= atMost) break
    }
  } finally {
    socket.destroy()
  }
  // A response without a request line must be an Error.
  return Promise.all(
    replies.map((reply, index) => validated(double, methods[index] ?? '', lines[index]?.[2] ?? '', reply)),
  )
}

/** Bytes that are not a response. */
export class NoReplyError extends Error {
  override readonly name = 'NoReplyError'
}

/**
 * Reads the complete responses at the start of the bytes.
 *
 * @param methods - Of the requests, in their order: a response to HEAD has no body.
 * @throws {NoReplyError}
 */
export function readReplies(
  bytes: Buffer,
  methods: readonly string[],
): { readonly replies: readonly Reply[]; readonly rest: Buffer } {
  const replies: Reply[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return { replies, rest }
    const { headers, status } = readHead(rest.toString('latin1', 0, end))
    const start = end + 4
    if (status < 200) {
      rest = rest.subarray(start)
      continue
    }
    const isBodiless = methods[replies.length] === 'HEAD' || status === 204 || status === 304
    if (!isBodiless && !/^\d+$/u.test(headers['content-length'] ?? ''))
      throw new NoReplyError(`a ${status} without a length: ${JSON.stringify(headers)}`)
    const after = start + (isBodiless ? 0 : Number(headers['content-length']))
    if (rest.length < after) return { replies, rest }
    replies.push({ status, headers, text: rest.toString('utf8', start, after) })
    rest = rest.subarray(after)
  }
}

function readHead(text: string): { status: number; headers: Record<string, string> } {
  const [line = '', ...fields] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/u.exec(line)?.[1])
  if (Number.isNaN(status)) throw new NoReplyError(`no status line: ${JSON.stringify(line.slice(0, 200))}`)
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/u.exec(field) ?? []
    if (name === undefined || value === undefined) throw new NoReplyError(`no header field: ${JSON.stringify(field)}`)
    const key = name.toLowerCase()
    if (Object.hasOwn(headers, key)) throw new NoReplyError(`${key} twice`)
    headers[key] = value
  }
  return { status, headers }
}
