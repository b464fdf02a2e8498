/** How long and how large a request may be. */

/** A request's header must be whole within this time, milliseconds. */
export const headersTimeoutMs = 5000

/** A request must be whole within this time, milliseconds. */
export const requestTimeoutMs = 10_000

/** The largest header block of a request: 16 KiB. */
export const maxHeaderBytes = 16 * 1024

/** The largest request body that is read: 1 MiB. */
export const maxBodyBytes = 1024 * 1024

/** How often Node looks for requests that take too long, milliseconds. Its own default, 30 s, would make the limits above meaningless. */
export const timeoutCheckMs = 500

/**
 * How long a connection is kept for the next request, milliseconds. Node's own default, 5 s, is short enough that clients often reuse
 * one that is just being closed, and fail for no reason of theirs.
 */
export const keepAliveMs = 65_000

/** How long a client may take to close its side of a connection that the double has closed, milliseconds. */
export const lingerMs = 2000
