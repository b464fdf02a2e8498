/**
 * Measures time in ticks of a timer instead of milliseconds. A stalled process neither ticks nor reads its sockets, so the time of a stall
 * does not count against a client.
 */
import { timeoutCheckMs } from './limits.js'

/**
 * Calls back every `timeoutCheckMs`, after the event loop has read its sockets. A stall of the process counts as one tick. The timer does
 * not keep the process alive.
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
