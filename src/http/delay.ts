/** Waiting on behalf of a client, for no longer than it is there. */
import type { ServerResponse } from 'node:http'

/** The longest delay that can be asked for, milliseconds. */
export const maxDelayMs = 60_000

/**
 * Waits, and holds up nobody else. Ends early when the double stops, and when the client goes away. One that only shuts its side of the
 * connection looks the same, so its connection is closed: the journal should say of a request that was given up that it had no reply.
 *
 * @param milliseconds - 0 to 60,000.
 */
export async function delay(milliseconds: number, response: ServerResponse, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return
  const { socket } = response.req
  await new Promise<void>((resolve) => {
    const leave = (): void => void response.destroy()
    const finish = (): void => {
      clearTimeout(timer)
      socket.off('end', leave)
      response.off('close', finish)
      stopping.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    socket.once('end', leave)
    response.once('close', finish)
    stopping.addEventListener('abort', finish)
    if (socket.readableEnded) leave()
  })
}
