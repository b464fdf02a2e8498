/** The time within which a request's header must be complete, milliseconds. */
export const headerTimeoutMs = 5000

/** The time within which a request must be complete, milliseconds. */
export const requestTimeoutMs = 10_000

/** The largest header block of a request, bytes: 16 KiB. */
export const maxHeaderBytes = 16 * 1024

/** The most values in a JSON body, arrays and objects included. An empty object needs 30 times the memory of its text. */
export const maxBodyValues = 5_000_000

/** The interval at which the double and Node look for slow requests, milliseconds. Node's default, 30 s, exceeds the limits above. */
export const timeoutCheckMs = 500

/** The time that an idle connection stays open, milliseconds. With Node's default, 5 s, clients often use one that is closing. */
export const keepAliveMs = 65_000

/** The time that a client has to close its side after the double has closed its own, milliseconds. */
export const lingerMs = 2000

/**
 * Calls back after the event loop has read its sockets. A stalled process neither ticks nor reads its sockets: a stall counts as one tick, and
 * its time not against a client. The timer does not keep the process alive. @returns A function that ends the calls.
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
