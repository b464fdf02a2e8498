/**
 * Checks requests that Node reports as too slow.
 *
 * Node compares times before it reads its sockets. So after a stall of the process, it reports requests that have arrived in time. A
 * reported request is rejected if the process has not stalled during the time limit. Otherwise the limit starts again, counted in ticks.
 */
import type { Duplex } from 'node:stream'

import { headersTimeoutMs, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { isLingering } from './lingering-close.js'
import type { PipelinedRequest, RequestPipeline } from './pipelining.js'
import { onEachTick } from './ticks.js'

/** A reported request. */
interface Wait {
  /** The error that Node reported. */
  readonly cause: Error
  /** The last request of the connection. */
  readonly last: PipelinedRequest | undefined
  /** True if that request is incomplete. If false, the header of the next request is incomplete. */
  readonly isIncomplete: boolean
  /** The remaining time in ticks. Undefined until the report has been checked. */
  ticksLeft: number | undefined
}

/** The check of slow requests. */
export interface TimeoutCheck {
  /** Adds a connection whose request Node reports as too slow. Node reports each request once. */
  report(cause: Error, socket: Duplex): void
  /** Ends all checks. */
  end(): void
}

/**
 * Starts to check slow requests.
 *
 * @param reject - Called once for each connection whose request is too slow.
 */
export function createTimeoutCheck(
  pipeline: RequestPipeline,
  reject: (cause: Error, socket: Duplex) => void,
): TimeoutCheck {
  const waits = new Map<Duplex, Wait>()
  let tickedAt = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY

  const check = (socket: Duplex, wait: Wait): void => {
    const { isIncomplete, last } = waitOf(pipeline, socket)
    const limitMs = isIncomplete ? requestTimeoutMs : headersTimeoutMs
    const limitInTicks = limitMs / timeoutCheckMs
    if (last !== wait.last || isIncomplete !== wait.isIncomplete) {
      // The reported header has arrived. Node does not report the body of that request again.
      if (isIncomplete) waits.set(socket, { cause: wait.cause, last, isIncomplete, ticksLeft: limitInTicks })
      else waits.delete(socket)
    } else if (isIncomplete && isPaused(last)) {
      wait.ticksLeft = limitInTicks
    } else {
      if (wait.ticksLeft !== undefined) wait.ticksLeft--
      else wait.ticksLeft = tickedAt - stalledAt < limitMs ? limitInTicks : 0
      if (wait.ticksLeft > 0) return
      waits.delete(socket)
      reject(wait.cause, socket)
    }
  }

  const end = onEachTick(() => {
    const now = performance.now()
    if (now - tickedAt > 2 * timeoutCheckMs) stalledAt = now
    tickedAt = now
    for (const [socket, wait] of waits) {
      if (socket.destroyed || isLingering(socket)) waits.delete(socket)
      else check(socket, wait)
    }
  })
  return {
    report: (cause, socket) => waits.set(socket, { cause, ...waitOf(pipeline, socket), ticksLeft: undefined }),
    end: () => {
      end()
      waits.clear()
    },
  }
}

function waitOf(
  pipeline: RequestPipeline,
  socket: Duplex,
): { readonly last: PipelinedRequest | undefined; readonly isIncomplete: boolean } {
  const last = pipeline.last(socket)
  return { last, isIncomplete: last !== undefined && !last.request.complete }
}

/** Tells whether the double does not read the rest of the body, because the received part was not consumed. */
const isPaused = (last: PipelinedRequest | undefined): boolean =>
  last !== undefined && last.request.readableLength >= last.request.readableHighWaterMark
