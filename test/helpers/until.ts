import { setTimeout as wait } from 'node:timers/promises'

/** The longest pause between two checks, milliseconds. */
const longestPauseMs = 50

/**
 * Repeats a check until it is true, with growing pauses, so that waiting uses little processor time.
 *
 * @param withinMs - Default: two minutes, far more than a busy machine needs.
 * @returns Whether the check was true in time.
 */
export async function until(check: () => Promise<boolean> | boolean, withinMs = 120_000): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (let pauseMs = 1; performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (await check()) return true
    await wait(pauseMs)
  }
  return false
}

/** Tells whether a promise is fulfilled. */
export const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  )
