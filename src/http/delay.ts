import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

import { ConnectionDropped, type RequestContext } from './request-context.js'

/** The longest delay that a request or a fault can ask for, milliseconds. */
export const maxDelayMs = 60_000

/**
 * The wait ends early when the double stops and when the client disconnects. A client that only shuts its side of the connection counts as
 * disconnected: its connection is closed, and the journal says that there was no response.
 * @param milliseconds - 0 to 60,000.
 * @throws {ConnectionDropped} The client has disconnected.
 */
export async function delay(milliseconds: number, { options: { stopping }, request: { socket } }: RequestContext) {
  if (!stopping.aborted) {
    const { end, signal } = watchClient(socket, stopping)
    await wait(milliseconds, undefined, { signal }).catch(() => {})
    end()
    if (socket.readableEnded) socket.destroy()
  }
  if (socket.destroyed) throw new ConnectionDropped('the client disconnected during the delay, so it got no response')
}

/**
 * Watches a client. The signal is aborted when it shuts its side of the connection, when that closes, and when the double stops, unless the caller
 * has ended the watch.
 */
export function watchClient(socket: Socket, stopping: AbortSignal): { signal: AbortSignal; end: () => void } {
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
