/** The limits of request bodies, by operation. */
import type { Operation } from '../contract/contract.js'
import { maxDocumentDepth } from '../documents/parse-json.js'

const mebibyte = 1024 * 1024

/** The limits of a request body. */
export interface BodyLimits {
  /** The largest body that is read, bytes. */
  readonly maxBytes: number
  /** The minimum rate of a body that takes longer than `requestTimeoutMs`, bytes a second. Undefined: no body may take longer. */
  readonly minBytesPerSecond: number | undefined
  /** The deepest nesting of JSON. */
  readonly maxDepth: number
}

const defaultLimits: BodyLimits = { maxBytes: mebibyte, minBytesPerSecond: undefined, maxDepth: 500 }

/** A state may be large, and then takes long to send. It may be nested as deep as a state file, so that every state can be put back. */
const stateLimits: BodyLimits = { maxBytes: 256 * mebibyte, minBytesPerSecond: mebibyte, maxDepth: maxDocumentDepth }

/** Returns the limits of an operation's request body: 1 MiB within `requestTimeoutMs`; for `PUT /__admin/state` 256 MiB at 1 MiB a second. */
export function bodyLimitsOf({ method, path }: Operation): BodyLimits {
  return method === 'PUT' && path === '/__admin/state' ? stateLimits : defaultLimits
}
