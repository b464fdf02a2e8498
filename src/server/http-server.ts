/** The HTTP server below Koa. It listens, responds to client errors, and stops without losing a request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

import { type ClientErrorResponder, handleClientErrors } from './client-errors.js'
import { headerTimeoutMs, keepAliveMs, maxHeaderBytes, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { afterLast, closeLingering, enqueue, isIdle, isLingering } from './pipelining.js'

/** The most connections that wait to be accepted: a test suite may open a thousand at once. Node's default is 511. */
const backlog = 4096

/** The interval at which a server that stops looks for connections to close, milliseconds. */
const tickMs = 10

/** The time without a new connection after which a busy server stops listening, milliseconds. */
const quietMs = 60

/** The time that an idle connection has to send a request after the server begins to stop, milliseconds. */
const idleMs = 250

interface ListenOptions {
  readonly host: string
  /** 0 for a free port. */
  readonly port: number
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  readonly respondToClientError: ClientErrorResponder
}

/** @throws Node's error if the address is not available, such as `EADDRINUSE`. */
export async function listen({ host, port, handle, respondToClientError }: ListenOptions) {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headerTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveMs,
    // The app refuses a request without Host, with an error body. Node's response would have none.
    requireHostHeader: false,
    noDelay: true,
  })
  // The header block is limited in bytes. Node silently drops fields beyond its own limit.
  server.maxHeadersCount = 0
  // A client that has shut its side may still read. Node's types do not have this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  const sockets = new Set<Socket>()
  /** The number of connections that were accepted since it was last set to 0. */
  let arrivals = 0
  server.on('connection', (socket: Socket) => {
    arrivals++
    sockets.add(socket)
    // Node calls this after the last response. Node's own function would reset the connection of a client that still sends.
    socket.destroySoon = () => closeLingering(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // Node parses no further request after one with Upgrade.
    if (/upgrade/iu.test(request.headers.connection ?? '')) response.shouldKeepAlive = false
    enqueue(response, () => handle(request, response))
  }
  server.on('request', onRequest)
  server.on('checkExpectation', onRequest)
  // Node emits CONNECT requests with the socket instead of a response. Like other unknown methods they get a 405.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer handles errors of this socket.
    socket.on('error', () => socket.destroy())
    afterLast(socket, () => {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => closeLingering(socket))
      handle(request, response)
    })
  })
  server.listen({ port, host, backlog })
  await once(server, 'listening')
  handleClientErrors(server, respondToClientError)
  return {
    port: (server.address() as AddressInfo).port,
    /** Waits for the requests in progress. @param withinMs - The longest wait, milliseconds. Remaining connections are then closed. */
    stop: async (withinMs: number): Promise<void> => {
      const started = performance.now()
      // Accept the connections that only the system has accepted. They would be reset otherwise.
      arrivals = 0
      // The first callback runs in this iteration of the event loop or the next. The loop polls between the two.
      await nextTurn()
      await nextTurn()
      if (arrivals > 0 || [...sockets].some((socket) => !isIdle(socket))) {
        do {
          arrivals = 0
          await wait(quietMs)
        } while (arrivals > 0 && performance.now() - started < idleMs)
      }
      // Its own close, afterwards, ends Node's timer for slow requests, which would keep the server in memory.
      const closed = once(server, 'close').then(() => void server.close())
      // That would destroy all connections that Node considers idle.
      NetServer.prototype.close.call(server)
      // Use the sum of the waits, not the clock: a stall of the process must not disconnect its clients.
      for (let waited = 0; ; waited += tickMs) {
        // Close connections that have become idle, because close() alone waits for their clients. Node also considers connections idle that still
        // send a response to a slow reader, or that linger. These end without help.
        if (![...sockets].some(isEnding)) server.closeIdleConnections()
        if (await Promise.race([closed.then(() => true), wait(tickMs, false)])) return
        if (waited > withinMs) server.closeAllConnections()
        else if (waited > idleMs)
          for (const socket of sockets) if (isIdle(socket) && !isEnding(socket)) socket.destroy()
      }
    },
  }
}

/** Tells whether a connection still sends a response, or waits for its client to close. */
const isEnding = (socket: Socket): boolean => socket.writableLength > 0 || isLingering(socket)
