/**
 * Measures time in ticks of a timer instead of by the clock. While the process is busy with something else it neither ticks nor reads,
 * so a client is not blamed for that time.
 */

import { timeoutCheckMs } from './limits.js'

/**
 * Calls back every `timeoutCheckMs`, once the event loop has read what its sockets had ready. A stalled process counts one tick, however long it
 * was stalled. It does not keep the process alive.
 *
 * @returns A function that ends the calls.
 */
export function onEachTick(callback: () => void): () => void {
  let isEnded = false
  // Timers run before the sockets are read, immediates after that.
  const timer = setInterval(() => setImmediate(() => isEnded || callback()), timeoutCheckMs).unref()
  return () => {
    isEnded = true
    clearInterval(timer)
  }
}
