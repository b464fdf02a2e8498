/**
 * Answers what Node gives up on below Koa: malformed HTTP, a header that is too large or too slow. They get an Error, CORS headers, an
 * id and a journal entry like everything else.
 */
import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import type { Violation } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'
import { createError } from '../errors.js'
import { corsHeaders } from '../http/cors.js'
import { nextId } from '../http/request-context.js'
import { violationsHeader } from '../http/send-response.js'
import type { JournalEntry } from '../sandbox/journal.js'
import { headersTimeoutMs, maxHeaderBytes, requestTimeoutMs } from './limits.js'
import { closeLingering } from './lingering-close.js'
import type { RequestPipeline } from './pipelining.js'
import { watchSlowRequests } from './slow-requests.js'

/** Hears of an exchange that never became one. */
export type ClientErrorListener = (entry: JournalEntry) => void

/** Emitted on a request whose body turns out not to be HTTP, with what Node says of it. */
export const parseErrorEvent = 'malformed'

const malformed = new WeakMap<IncomingMessage, DoubleError>()

/** What is wrong with a request as HTTP, found out after its header was read. Undefined: nothing so far. */
export const parseErrorOf = (request: IncomingMessage): DoubleError | undefined => malformed.get(request)

const timedElsewhere = new WeakSet<IncomingMessage>()

/** Takes the time limit of a request's body over from Node. Whoever calls this has a limit of its own. */
export function takeOverTimeLimit(request: IncomingMessage): void {
  timedElsewhere.add(request)
}

/** What Node says of a connection that it gives up on. */
type Cause = NodeJS.ErrnoException & { reason?: string }

/** Makes a server answer what it would drop. */
export function handleClientErrors(server: Server, turns: RequestPipeline, onBroken: ClientErrorListener): void {
  /** Connections that are given up behind what is under way. Node says so anew for every packet that follows. */
  const givenUp = new WeakSet<Duplex>()
  const giveUp = (cause: Cause, socket: Duplex): void => {
    const last = turns.last(socket)
    const isCut = last !== undefined && !last.request.complete
    if (isCut && cause.code === 'ERR_HTTP_REQUEST_TIMEOUT' && timedElsewhere.has(last.request)) return
    // The rest of a request that the app has already begun: it is the app's to answer, and once.
    if (isCut && !last.response.headersSent) {
      const error = errorOf(cause, requestTimeoutMs / 1000)
      malformed.set(last.request, error)
      last.response.shouldKeepAlive = false
      last.request.emit(parseErrorEvent, error)
      return
    }
    if (givenUp.has(socket)) return
    givenUp.add(socket)
    // A probe of the port: no byte was sent, so there is no exchange to answer or to record.
    if (socket instanceof Socket && socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    turns.afterLast(socket, () => {
      if (cause.code === 'ECONNRESET') socket.destroy()
      // Behind a request that was the last, by its own word or for being cut short, nothing is a request any more.
      else if (isCut || last?.response.shouldKeepAlive === false || !socket.writable) closeLingering(socket)
      else {
        socket.write(writeAnswer(errorOf(cause, headersTimeoutMs / 1000), onBroken))
        closeLingering(socket)
      }
    })
  }
  const slow = watchSlowRequests(turns, giveUp)
  server.once('close', () => slow.end())
  server.on('clientError', (cause: Cause, socket) => {
    if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') slow.report(cause, socket)
    else giveUp(cause, socket)
  })
}

function errorOf(cause: Cause, seconds: number): DoubleError {
  if (cause.code === 'HPE_HEADER_OVERFLOW') return createError('headers_too_large', { maxBytes: maxHeaderBytes })
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return createError('request_timeout', { seconds }, { headers: { connection: 'close' } })
  return createError('malformed_http', { reason: cause.reason ?? cause.message }, { headers: { connection: 'close' } })
}

function writeAnswer(error: DoubleError, onBroken: ClientErrorListener): string {
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
    date: new Date().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
