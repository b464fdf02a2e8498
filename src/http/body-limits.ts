/** The limits of request bodies, by operation. */
import type { Operation } from '../contract/contract.js'

const mebibyte = 1024 * 1024

/** How large a request body may be, and how slow. */
export interface BodyLimits {
  /** The largest body that is read, bytes. */
  readonly maxBytes: number
  /** The least pace of a body that takes longer than `requestTimeoutMs`, bytes a second. Undefined: none may. */
  readonly minBytesPerSecond: number | undefined
}

const usualLimits: BodyLimits = { maxBytes: mebibyte, minBytesPerSecond: undefined }

/** A whole state may be large, and then takes its time. Whoever sends slowly is cut off as soon as with any other body. */
const stateLimits: BodyLimits = { maxBytes: 256 * mebibyte, minBytesPerSecond: mebibyte }

/** The limits of an operation's request body: 1 MiB within `requestTimeoutMs`, but for `PUT /__admin/state` 256 MiB at 1 MiB a second. */
export function bodyLimitsOf({ method, path }: Operation): BodyLimits {
  return method === 'PUT' && path === '/__admin/state' ? stateLimits : usualLimits
}
