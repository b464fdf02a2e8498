/**
 * Closes a connection so that the client receives the last response. The system resets a connection that is closed with unread data, and
 * the client then discards the response. So the double first shuts its own side, and discards data until the client shuts its side.
 */
import type { Duplex } from 'node:stream'

import { lingerMs } from './limits.js'

const lingering = new WeakSet<Duplex>()

/** Shuts the double's side of a connection after pending writes, and discards further data. Closes it after `lingerMs` at the latest. */
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
