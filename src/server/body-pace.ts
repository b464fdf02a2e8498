/**
 * Gives a large body more time than Node would, as long as it keeps a pace. Node's own limit is one for all requests; a longer one would
 * let slow clients hold connections to every operation.
 */
import type { IncomingMessage } from 'node:http'

import { createError } from '../errors.js'
import { parseErrorEvent, takeOverTimeLimit } from './client-errors.js'
import { requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { onEachTick } from './ticks.js'

/**
 * Takes the time limit of a body over from Node: `requestTimeoutMs`, and beyond it as long as the least pace allows for what has come.
 * A body that is slower is given up with `request_timeout`.
 *
 * @param size - How much has come, bytes.
 * @returns What ends the limit.
 */
export function limitPace(request: IncomingMessage, minBytesPerSecond: number, size: () => number): () => void {
  takeOverTimeLimit(request)
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
    request.emit(parseErrorEvent, error)
  })
}
