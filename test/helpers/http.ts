/** Sends requests to doubles over HTTP: with `fetch`, or with a plain socket if `fetch` would change the request. */
import { once } from 'node:events'
import { connect } from 'node:net'

import type { ExecutionContext } from 'ava'

import type { JsonObject, Served } from './double.js'
import { asList, asObject } from './double.js'
import { judged } from './validate-responses.js'

/** A reply, however it was asked for. */
export interface Reply {
  readonly status: number
  /** By lower-case name. What was sent several times is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Header fields by name. */
export type Headers = Readonly<Record<string, string>>

/** The credential of a caller of the package's fixtures. */
export const as = (caller: string): Headers => ({ authorization: `Bearer ${caller}-token` })

/** Sends a request through `fetch`. */
export async function ask(double: Served, method: string, path: string, headers: Headers = {}): Promise<Reply> {
  return read(double, method, await fetch(`${double.url}${path}`, { method, headers, redirect: 'manual' }))
}

/** Reads what `fetch` got, whole, and has it judged. */
export async function read(double: Served, method: string, reply: Response): Promise<Reply> {
  const { pathname, search } = new URL(reply.url)
  const headers = Object.fromEntries(reply.headers)
  return judged(double, method, pathname + search, { status: reply.status, headers, text: await reply.text() })
}

/** Sends a GET through `fetch`. */
export const get = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'GET', path, headers)

/** Sends a DELETE through `fetch`. */
export const del = (double: Served, path: string, headers: Headers = {}): Promise<Reply> =>
  ask(double, 'DELETE', path, headers)

/** The body of a reply, parsed. */
export const json = (reply: Reply): unknown => JSON.parse(reply.text)

/** The ids of a listing, as a caller of the package's fixtures sees it. */
export async function idsSeenBy(double: Served, caller: string): Promise<readonly unknown[]> {
  return asList(json(await get(double, '/insights', as(caller)))).map((insight) => asObject(insight)['id'])
}

/** The violations that a reply's header tells of. */
export function violationsOf(reply: Reply): readonly JsonObject[] {
  return asList(JSON.parse(reply.headers['sl-violations'] ?? '[]')).map(asObject)
}

/** Asserts that a reply is an Error, whole and well-formed, with a status and, if given, a message to the letter. */
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

/** Writes a request the way it goes over the wire: a line, header fields, and an empty line. */
export function wire(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n')
}

/** Sends bytes as they are and reads the reply. */
export async function raw(double: Served, request: string | Uint8Array): Promise<Reply> {
  const [reply] = await rawAll(double, request, 1)
  if (!reply) throw new Error('The connection was closed without a reply')
  return reply
}

/** Sends bytes as they are, and reads replies until there are so many or the connection is closed. */
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
      if (replies.length >= atMost) return await judgeAll(double, request, replies)
    }
    return await judgeAll(double, request, parseReplies(Buffer.concat(chunks), bodiless))
  } finally {
    socket.destroy()
  }
}

/** Judges replies by the requests they are to, in their order. What has no line of a request before it can only be an Error. */
async function judgeAll(
  double: Served,
  request: string | Uint8Array,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const text = typeof request === 'string' ? request : Buffer.from(request).toString('latin1')
  const lines = [...text.matchAll(/([A-Z-]{3,}) (\S+) HTTP\/1\.[01]\r\n/gu)]
  return Promise.all(
    replies.map((reply, index) => {
      const [, method = '', target = ''] = lines[index] ?? []
      return judged(double, method, target, reply)
    }),
  )
}

/** Reads the whole replies that bytes begin with. */
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
