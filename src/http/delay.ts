/** Waiting on behalf of a client, for no longer than it is there. */
import type { ServerResponse } from 'node:http'

/** The longest delay that can be asked for, milliseconds. */
export const maxDelayMs = 60_000

/**
 * Waits, and holds up nobody else. Ends early when the client goes away, and when the double stops.
 *
 * @param milliseconds - 0 to 60,000.
 */
export async function delay(milliseconds: number, response: ServerResponse, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      response.off('close', finish)
      stopping.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    response.on('close', finish)
    stopping.addEventListener('abort', finish)
  })
}
