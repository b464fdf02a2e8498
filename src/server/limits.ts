/** How long and how large a request may be. */
import type { Operation } from '../contract/contract.js'
import { maxJsonDepth } from '../documents/json.js'

/** A request's header must be whole within this time, milliseconds. */
export const headersTimeoutMs = 5000

/** A request must be whole within this time, milliseconds. */
export const requestTimeoutMs = 10_000

/** The largest header block of a request: 16 KiB. */
export const maxHeaderBytes = 16 * 1024

const mebibyte = 1024 * 1024

/** How large a request body may be, and how slow. */
export interface BodyLimits {
  /** The largest body that is read, bytes. */
  readonly maxBytes: number
  /** The least pace of a body that takes longer than `requestTimeoutMs`, bytes a second. Undefined: none may. */
  readonly minBytesPerSecond: number | undefined
  /** How deep JSON may be nested. */
  readonly maxDepth: number
}

const usualLimits: BodyLimits = { maxBytes: mebibyte, minBytesPerSecond: undefined, maxDepth: 500 }

/** A whole state may be large and then takes long. It may be nested as deep as a state file, so that every state can be put back. */
const stateLimits: BodyLimits = { maxBytes: 256 * mebibyte, minBytesPerSecond: mebibyte, maxDepth: maxJsonDepth }

/** The limits of an operation's request body: 1 MiB within `requestTimeoutMs`, but for `PUT /__admin/state` 256 MiB at 1 MiB a second. */
export function bodyLimitsOf({ method, path }: Operation): BodyLimits {
  return method === 'PUT' && path === '/__admin/state' ? stateLimits : usualLimits
}

/** The most values that a JSON body may hold, arrays and objects included. An empty object takes 30 times its text. */
export const maxBodyValues = 5_000_000

/** How often Node looks for requests that take too long, milliseconds. Its own default, 30 s, would make the limits above meaningless. */
export const timeoutCheckMs = 500

/**
 * How long a connection is kept for the next request, milliseconds. Node's own default, 5 s, is short enough that clients often reuse
 * one that is just being closed, and fail for no reason of theirs.
 */
export const keepAliveMs = 65_000

/** How long a client may take to close its side of a connection that the double has closed, milliseconds. */
export const lingerMs = 2000
