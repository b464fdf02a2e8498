/**
 * Answers what Node gives up on below Koa: malformed HTTP, a header that is too large or too slow. They get an Error, CORS headers, an
 * id and a journal entry like everything else.
 */
import type { Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

import type { Violation } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'
import { failure } from '../errors.js'
import type { JournalEntry } from '../sandbox/journal.js'
import { corsHeaders } from './cors.js'
import { nextId } from './exchange.js'
import { headersTimeoutMs, maxHeaderBytes } from './limits.js'
import { violationsHeader } from './reply.js'

/** Hears of an exchange that never became one. */
export type BrokenListener = (entry: JournalEntry) => void

/** Makes a server answer what it would drop. */
export function answerBroken(server: Server, onBroken: BrokenListener): void {
  const underWay = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => underWay.set(request.socket, response))
  server.on('clientError', (cause: NodeJS.ErrnoException & { reason?: string }, socket) => {
    const answer = (): void => {
      if (!socket.writable || cause.code === 'ECONNRESET') socket.destroy()
      else socket.end(writeAnswer(errorOf(cause), onBroken))
    }
    // Replies to requests that came before on this connection go first, or the client could not tell which is whose.
    const earlier = underWay.get(socket)
    if (earlier && !earlier.writableFinished && !earlier.destroyed) earlier.once('close', answer)
    else answer()
  })
}

function errorOf(cause: NodeJS.ErrnoException & { reason?: string }): DoubleError {
  if (cause.code === 'HPE_HEADER_OVERFLOW') return failure('headers_too_large', { maxBytes: maxHeaderBytes })
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('request_timeout', { seconds: headersTimeoutMs / 1000 })
  return failure('malformed_http', { reason: cause.reason ?? cause.message })
}

function writeAnswer(error: DoubleError, onBroken: BrokenListener): string {
  const id = nextId()
  const violation: Violation = {
    location: error.location ?? ['request'],
    severity: 'Error',
    code: error.code,
    message: error.message,
  }
  const body = JSON.stringify({ error: error.status, message: error.message })
  onBroken({
    id,
    time: new Date().toISOString(),
    sandbox: 'root',
    method: '',
    url: '',
    headers: {},
    operation: null,
    caller: null,
    status: error.status,
    durationMs: 0,
    verdict: 'violation',
    violations: [violation],
    fault: null,
    preference: null,
    note: 'refused before it could be read as a request',
  })
  const headers = {
    ...corsHeaders(undefined),
    'x-request-id': id,
    'x-error-code': error.code,
    'sl-violations': violationsHeader([violation]),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
