/**
 * Records the responses of the doubles of a test run to requests for the service. Loaded into every process (`node --import`). It uses
 * Node's diagnostics channel for HTTP servers, so that neither the tests nor the double depend on it.
 */
import { createHash } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

import { type RecordedExchange, recordedNow, recordingVariable } from '../helpers/recording-format.js'

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
}

const folder = process.env[recordingVariable]
const own = `${process.pid}-${threadId}`
const servers = new WeakMap<Server, string>()
let count = 0

if (folder !== undefined) subscribe('http.server.request.start', (message) => record(folder, message as Started))

function record(into: string, { request, response, server }: Started): void {
  const { headers, method = '', url = '' } = request
  if (/\/__admin(?:[/?]|$)/u.test(url)) return
  const at = recordedNow()
  const port = request.socket.localPort ?? 0
  const name = servers.get(server) ?? `${own}-${++count}`
  servers.set(server, name)
  let replyHeaders: Record<string, string> = {}
  const { end, writeHead } = response
  response.writeHead = (...given: unknown[]) => {
    const fields = given.at(-1)
    if (typeof fields === 'object' && fields !== null) replyHeaders = texts(fields)
    return Reflect.apply(writeHead, response, given) as ServerResponse
  }
  response.end = (...given: unknown[]) => {
    const [body] = given
    if (replyHeaders['x-request-id'] !== undefined) {
      const bytes = Buffer.isBuffer(body) ? keep(into, body) : undefined
      const { statusCode: status } = response
      const exchange = {
        port,
        server: name,
        at,
        method,
        url,
        headers: texts(headers),
        status,
        replyHeaders,
        body: bytes,
      }
      appendFileSync(join(into, `exchanges-${own}.jsonl`), `${JSON.stringify(exchange satisfies RecordedExchange)}\n`)
    }
    return Reflect.apply(end, response, given) as ServerResponse
  }
}

/** Writes bytes to a file named after them, once. @returns Its name. */
function keep(into: string, bytes: Buffer): string {
  const name = `${createHash('sha256').update(bytes).digest('hex')}.body`
  const file = join(into, name)
  if (!existsSync(file)) writeFileSync(file, bytes)
  return name
}

const texts = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
