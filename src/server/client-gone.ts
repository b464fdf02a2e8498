/** Detects that a client has disconnected. */
import type { Socket } from 'node:net'

/** The watch of a client. */
export interface ClientWatch {
  /** Aborted when the client shuts its side of the connection, when the connection closes, and when the double stops. */
  readonly signal: AbortSignal
  /** Ends the watch. The signal is not aborted afterwards. */
  end(): void
}

/**
 * Watches the client of a connection. The caller ends the watch.
 *
 * @param stopping - Aborted when the double stops.
 */
export function watchClient(socket: Socket, stopping: AbortSignal): ClientWatch {
  const gone = new AbortController()
  const end = (): void => {
    socket.off('end', abort).off('close', abort)
    stopping.removeEventListener('abort', abort)
  }
  const abort = (): void => {
    end()
    gone.abort()
  }
  socket.once('end', abort).once('close', abort)
  stopping.addEventListener('abort', abort)
  if (socket.readableEnded || socket.destroyed || stopping.aborted) abort()
  return { signal: gone.signal, end }
}
