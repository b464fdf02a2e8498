/** The HTTP server below Koa: listens, answers what Koa never sees, and stops without losing a request. */
import type { IncomingMessage } from 'node:http'
import { createServer, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

import type { ClientErrorListener } from './client-errors.js'
import { handleClientErrors } from './client-errors.js'
import { headersTimeoutMs, keepAliveMs, maxHeaderBytes, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { isLingering, closeLingering } from './lingering-close.js'
import { RequestPipeline } from './pipelining.js'

/**
 * How many connections may wait to be accepted; the system has a limit of its own. Beyond it a client is left to try again after a
 * second, and a test suite easily opens a thousand at once: Node's own, 511, was exceeded by ours.
 */
const backlog = 4096

/** How often a stopping server looks for connections to close, milliseconds. */
const tickMs = 10

/** How long no connection must have come before a busy server that stops takes no more, milliseconds. */
const quietMs = 60

/** How long a connection without a request may take to begin one once the server stops, milliseconds. It may be on its way. */
const silenceMs = 250

/** A server that listens. */
export interface HttpServer {
  /** The port it listens on. */
  readonly port: number
  /**
   * Takes no new connections, lets the requests in flight finish, and closes.
   *
   * @param withinMs - After this long, what is still in flight is cut. Milliseconds.
   */
  stop(withinMs: number): Promise<void>
}

/** How to listen. */
export interface ListenOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  readonly onBroken: ClientErrorListener
}

/**
 * Starts to listen.
 *
 * @throws What Node says when the address cannot be had, such as `EADDRINUSE`.
 */
export async function listen({ host, port, handle, onBroken }: ListenOptions): Promise<HttpServer> {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveMs,
    // Node would refuse a request without Host with an empty body; the app does it with an Error.
    requireHostHeader: false,
    noDelay: true,
  })
  // The block is bounded in bytes. Node would drop fields beyond its own limit, and say nothing.
  server.maxHeadersCount = 0
  // A client that has said all it has to say may still be listening. Node has the switch, and no name for it in its types.
  Object.assign(server, { httpAllowHalfOpen: true })
  const turns = new RequestPipeline()
  const sockets = new Set<Socket>()
  let arrivals = 0
  server.on('connection', (socket: Socket) => {
    arrivals++
    sockets.add(socket)
    // What Node calls behind a last reply. Its own would reset the connection of a client that is still sending.
    socket.destroySoon = () => closeLingering(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const takeTurn = (request: IncomingMessage, response: ServerResponse): void => {
    // Node reads nothing more as HTTP behind a request for another protocol, granted or not.
    if (/upgrade/iu.test(request.headers.connection ?? '')) response.shouldKeepAlive = false
    turns.enqueue({ request, response }, () => handle(request, response))
  }
  server.on('request', takeTurn)
  server.on('checkExpectation', takeTurn)
  // CONNECT asks for a tunnel. It is a method like any other here, and gets its 405 on the connection itself.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // From here on Node leaves the connection to us, with whatever goes wrong on it.
    socket.on('error', () => socket.destroy())
    turns.afterLast(socket, () => {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => closeLingering(socket))
      handle(request, response)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  handleClientErrors(server, turns, onBroken)
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (withinMs) => {
      const started = performance.now()
      // What the system has accepted and Node has not would be reset; its requests are on their way.
      const isBusy = (): boolean => arrivals > 0 || [...sockets].some((socket) => !turns.isIdle(socket))
      arrivals = 0
      await pollOnce()
      if (isBusy()) {
        do {
          arrivals = 0
          await wait(quietMs)
        } while (arrivals > 0 && performance.now() - started < silenceMs)
      }
      const closed = new Promise<void>((resolve) => {
        // Not as an HTTP server, which would at once destroy what it takes for idle.
        NetServer.prototype.close.call(server, () => {
          // Ends the timer that looks for slow requests, which would keep the server in memory.
          server.close()
          resolve()
        })
      })
      for (;;) {
        // A connection that was busy a moment ago may be idle now; close() alone would wait for its client to go. Node counts one as
        // idle also while a reply to a slow reader is on its way, and while it lingers; those come to their end by themselves.
        if (![...sockets].some(isEnding)) server.closeIdleConnections()
        if (await Promise.race([closed.then(() => true), wait(tickMs, false)])) return
        const passed = performance.now() - started
        if (passed > withinMs) server.closeAllConnections()
        else if (passed > silenceMs)
          for (const socket of sockets) if (turns.isIdle(socket) && !isEnding(socket)) socket.destroy()
      }
    },
  }
}

/** Waits until the event loop has accepted and read everything that the system had ready. */
async function pollOnce(): Promise<void> {
  // The first callback runs in this turn or the next. Between the two the loop polls.
  await nextTurn()
  await nextTurn()
}

/** Whether a connection has something to write, or waits for its client to close. */
const isEnding = (socket: Socket): boolean => socket.writableLength > 0 || isLingering(socket)
