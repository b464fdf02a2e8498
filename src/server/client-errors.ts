/** Responds to requests that Node's HTTP parser rejects: malformed HTTP, headers that are too large, and requests that are too slow. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { createError, type DoubleError } from '../http-errors.js'
import { headerTimeoutMs, keepAliveMs, maxHeaderBytes, onEachTick, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { afterLast, closeLingering, isLingering, lastResponse } from './pipelining.js'

/** Creates the raw HTTP response to a request that could not be parsed. Called once for each such request. */
export type ClientErrorResponder = (error: DoubleError) => string

/** The event of a request whose body is not valid HTTP or is too slow. Its argument is the `DoubleError`. */
export const requestErrorEvent = 'malformed'

const parseErrors = new WeakMap<IncomingMessage, DoubleError>()

/** Returns the parse error that was found after the header of a request. */
export const requestErrorOf = (request: IncomingMessage): DoubleError | undefined => parseErrors.get(request)

/** The requests with a limit of their own instead of Node's. */
const withOwnTimeLimit = new WeakSet<IncomingMessage>()

type ParserError = NodeJS.ErrnoException & { reason?: string }

export function handleClientErrors(server: Server, respond: ClientErrorResponder): void {
  /** Rejected connections. Node reports the error again for every packet that follows. */
  const rejected = new WeakSet<Duplex>()
  const reject = (cause: ParserError, socket: Duplex): void => {
    const last = lastResponse(socket)
    const isIncomplete = last !== undefined && !last.req.complete
    if (isIncomplete && cause.code === 'ERR_HTTP_REQUEST_TIMEOUT' && withOwnTimeLimit.has(last.req)) return
    // The app already handles this request. It sends the only response.
    if (isIncomplete && !last.headersSent) {
      const error = errorOf(cause, requestTimeoutMs / 1000)
      parseErrors.set(last.req, error)
      last.shouldKeepAlive = false
      return void last.req.emit(requestErrorEvent, error)
    }
    if (rejected.has(socket)) return
    rejected.add(socket)
    // A port scan or probe sends no byte: there is no request to respond to or to record.
    if (isSilent(socket)) return void socket.destroy()
    afterLast(socket, () => {
      if (cause.code === 'ECONNRESET') socket.destroy()
      // No request follows an incomplete one, or one with `Connection: close`.
      else if (isIncomplete || last?.shouldKeepAlive === false || !socket.writable) closeLingering(socket)
      else {
        socket.write(respond(errorOf(cause, headerTimeoutMs / 1000)))
        closeLingering(socket)
      }
    })
  }
  const slow = createTimeoutCheck(reject)
  server.once('close', () => slow.end())
  server.on('clientError', (cause: ParserError, socket) => {
    if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') slow.report(cause, socket)
    else reject(cause, socket)
  })
}

function errorOf(cause: ParserError, seconds: number): DoubleError {
  if (cause.code === 'HPE_HEADER_OVERFLOW') return createError('headers_too_large', { maxBytes: maxHeaderBytes })
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') return createError('request_timeout', { seconds }, closing)
  return createError('malformed_http', { reason: cause.reason ?? cause.message }, closing)
}

const closing = { headers: { connection: 'close' } }

/**
 * Replaces Node's time limit for a body: `requestTimeoutMs`, plus the time that the received bytes need at the minimum rate. A slower body
 * fails with `request_timeout`. Node has one limit for all requests: if it were longer, slow clients could block connections to every operation.
 */
export function requireMinRate(request: IncomingMessage, minBytesPerSecond: number, size: () => number): () => void {
  withOwnTimeLimit.add(request)
  let passedMs = 0
  return onEachTick(() => {
    passedMs += timeoutCheckMs
    const allowedMs = requestTimeoutMs + (size() / minBytesPerSecond) * 1000
    if (passedMs <= allowedMs) return
    const seconds = Math.round(allowedMs / 1000)
    request.emit(requestErrorEvent, createError('request_timeout', { seconds }, closing))
  })
}

interface Wait {
  readonly cause: Error
  readonly last: ServerResponse | undefined
  /** The time limit: for the rest of that request if it is incomplete, otherwise for the header or the first byte of the next one. */
  readonly limitMs: number
  /** The remaining time in ticks. Undefined until the report has been checked. */
  ticksLeft: number | undefined
}

/** Starts to check slow requests. @param reject - Called once for each connection whose request is too slow. */
function createTimeoutCheck(reject: (cause: Error, socket: Duplex) => void) {
  const waits = new Map<Duplex, Wait>()
  let tickedAt = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY

  const check = (socket: Duplex, wait: Wait): void => {
    const { last, limitMs } = waitOf(socket)
    const limitInTicks = limitMs / timeoutCheckMs
    if (last !== wait.last || limitMs !== wait.limitMs) {
      // The reported header or its first byte has arrived. Node may not report the rest of that request again.
      if (last?.req.complete === true) waits.delete(socket)
      else waits.set(socket, { cause: wait.cause, last, limitMs, ticksLeft: limitInTicks })
    } else if (isPaused(last)) {
      wait.ticksLeft = limitInTicks
    } else {
      if (wait.ticksLeft !== undefined) wait.ticksLeft--
      else wait.ticksLeft = tickedAt - stalledAt < limitMs ? limitInTicks : 0
      if (wait.ticksLeft > 0) return
      waits.delete(socket)
      reject(wait.cause, socket)
    }
  }

  const end = onEachTick(() => {
    const now = performance.now()
    if (now - tickedAt > 2 * timeoutCheckMs) stalledAt = now
    tickedAt = now
    for (const [socket, wait] of waits) {
      if (socket.destroyed || isLingering(socket)) waits.delete(socket)
      else check(socket, wait)
    }
  })
  return {
    /** Adds a connection whose request Node reports as too slow. Node reports each request once. */
    report: (cause: Error, socket: Duplex): void => {
      const ticksLeft = isSilent(socket) ? keepAliveMs / timeoutCheckMs : undefined
      waits.set(socket, { cause, ...waitOf(socket), ticksLeft })
    },
    end: (): void => {
      end()
      waits.clear()
    },
  }
}

const isSilent = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0

function waitOf(socket: Duplex): Pick<Wait, 'last' | 'limitMs'> {
  const last = lastResponse(socket)
  if (last?.req.complete === false) return { last, limitMs: requestTimeoutMs }
  return { last, limitMs: isSilent(socket) ? keepAliveMs : headerTimeoutMs }
}

/** Tells whether the double does not read the rest of the body, because the received part was not consumed. */
const isPaused = (last: ServerResponse | undefined): boolean =>
  last?.req.complete === false && last.req.readableLength >= last.req.readableHighWaterMark
