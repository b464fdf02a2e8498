/**
 * Closes a connection so that the client gets the last reply. A connection that is closed while bytes of its client are unread is reset
 * by the system, and a client that writes into a reset connection throws away what it has received. So the double's side is shut
 * first, and what still comes is read and thrown away until the client has shut its own.
 */
import type { Duplex } from 'node:stream'

import { lingerMs } from './limits.js'

const lingering = new WeakSet<Duplex>()

/** Shuts the double's side of a connection once all is written, and lets the client finish. Nothing that comes is a request any more. */
export function closeLingering(socket: Duplex): void {
  if (socket.destroyed || lingering.has(socket)) return
  lingering.add(socket)
  // Node's HTTP parser reads a connection until something else does; further requests would be served.
  socket.removeAllListeners('data')
  socket.on('data', () => {})
  socket.resume()
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Whether the double has shut its side of a connection. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket)
