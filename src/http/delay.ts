/** Waiting on behalf of a client, for no longer than it is there. */
import type { Socket } from 'node:net'

import { ConnectionDropped } from './request-context.js'

/** The longest delay that can be asked for, milliseconds. */
export const maxDelayMs = 60_000

/**
 * Waits, and holds up nobody else. Ends early when the double stops, and when the client goes away. One that only shuts its side of the
 * connection looks the same, so its connection is closed, and the journal says that it had no reply.
 *
 * @param milliseconds - 0 to 60,000.
 * @throws {ConnectionDropped} The client has gone: its request is not served.
 */
export async function delay(milliseconds: number, socket: Socket, stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await wait(milliseconds, socket, stopping)
  if (socket.destroyed)
    throw new ConnectionDropped('the client had gone before the delay was over, so it was not served')
}

async function wait(milliseconds: number, socket: Socket, stopping: AbortSignal): Promise<void> {
  if (socket.readableEnded) socket.destroy()
  if (socket.destroyed) return
  await new Promise<void>((resolve) => {
    const leave = (): void => void socket.destroy()
    const finish = (): void => {
      clearTimeout(timer)
      socket.off('end', leave).off('close', finish)
      stopping.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    socket.once('end', leave).once('close', finish)
    stopping.addEventListener('abort', finish)
  })
}
