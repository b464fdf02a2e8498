/**
 * Extends the time limit of a large body that arrives fast enough. Node has one limit for all requests. With a longer limit, slow clients
 * could block connections to every operation.
 */
import type { IncomingMessage } from 'node:http'

import { createError } from '../http-errors.js'
import { requestErrorEvent, ignoreTimeLimit } from './client-errors.js'
import { requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { onEachTick } from './ticks.js'

/**
 * Replaces Node's time limit for a body: `requestTimeoutMs`, plus the time that the received bytes need at the minimum rate. A slower body
 * fails with `request_timeout`.
 *
 * @param size - Returns the number of received bytes.
 * @returns A function that ends the limit.
 */
export function requireMinimumRate(
  request: IncomingMessage,
  minBytesPerSecond: number,
  size: () => number,
): () => void {
  ignoreTimeLimit(request)
  let passedMs = 0
  return onEachTick(() => {
    passedMs += timeoutCheckMs
    const allowedMs = requestTimeoutMs + (size() / minBytesPerSecond) * 1000
    if (passedMs <= allowedMs) return
    const error = createError(
      'request_timeout',
      { seconds: Math.round(allowedMs / 1000) },
      { headers: { connection: 'close' } },
    )
    request.emit(requestErrorEvent, error)
  })
}
