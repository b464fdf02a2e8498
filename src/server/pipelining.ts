/**
 * Starts the requests of a connection one after the other. A client may send several without waiting for responses. A request starts when
 * the response to the previous one is complete, so a read sees a change that was sent before it. Requests after the last response never start.
 */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { lingerMs } from './limits.js'

const last = new WeakMap<Duplex, ServerResponse>()

/** Returns the response to the last request of a connection. */
export const lastResponse = (socket: Duplex): ServerResponse | undefined => last.get(socket)

/** Node closes a response later than its last byte. */
export const isIdle = (socket: Duplex): boolean => last.get(socket)?.closed !== false

/** Adds a request to its connection, and starts it when the response before it is complete. */
export function enqueue(response: ServerResponse, start: () => void): void {
  afterLast(response.req.socket, start)
  last.set(response.req.socket, response)
}

/** When the last response of a connection is complete: at once if the connection is idle, never if it is closed or closing by then. */
export function afterLast(socket: Duplex, start: () => void): void {
  const startIfOpen = (): void => {
    if (!socket.destroyed && !isLingering(socket)) start()
  }
  if (isIdle(socket)) startIfOpen()
  else last.get(socket)?.once('close', startIfOpen)
}

const lingering = new WeakSet<Duplex>()

/**
 * Closes a connection so that the client receives the last response, which it discards if the system resets a connection with unread data. So the
 * double shuts its own side after pending writes, and discards data until the client shuts its side, for `lingerMs` at most.
 */
export function closeLingering(socket: Duplex): void {
  if (socket.destroyed || lingering.has(socket)) return
  lingering.add(socket)
  // Detach Node's HTTP parser, or further requests would be served.
  socket.removeAllListeners('data')
  socket.on('data', () => {})
  socket.resume()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Tells whether the double has shut its side of a connection. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket)
