/** The limits of requests and connections. */

/** The time within which a request's header must be complete, milliseconds. */
export const headersTimeoutMs = 5000

/** The time within which a request must be complete, milliseconds. */
export const requestTimeoutMs = 10_000

/** The largest header block of a request, bytes: 16 KiB. */
export const maxHeaderBytes = 16 * 1024

/** The most values in a JSON body, arrays and objects included. An empty object needs 30 times the memory of its text. */
export const maxBodyValues = 5_000_000

/** The interval at which the double and Node look for slow requests, milliseconds. Node's default, 30 s, exceeds the limits above. */
export const timeoutCheckMs = 500

/**
 * The time that a connection without a request stays open, milliseconds. With Node's default, 5 s, clients often use a connection that is
 * closing.
 */
export const keepAliveMs = 65_000

/** The time that a client has to close its side after the double has closed its own, milliseconds. */
export const lingerMs = 2000
