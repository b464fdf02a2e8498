/**
 * Checks whether a request that Node reports as too slow is too slow.
 *
 * Node compares the clock before it reads its sockets, so after a stall of the process it reports requests that arrived in time. A
 * reported request is given up if the process was running for its whole time limit; else the limit starts again, counted in ticks.
 */
import type { Duplex } from 'node:stream'

import { headersTimeoutMs, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { isLingering } from './lingering-close.js'
import type { PipelinedRequest, RequestPipeline } from './pipelining.js'
import { onEachTick } from './ticks.js'

/** What a connection was waiting for. */
interface Wait {
  /** What Node reported. */
  readonly cause: Error
  /** The last request that had come. */
  readonly last: PipelinedRequest | undefined
  /** Whether that request was incomplete. If not, the header of the next one was. */
  readonly isCut: boolean
  /** The time that is left, in ticks. Undefined until the report has been checked. */
  ticksLeft: number | undefined
}

/** Takes the reports of Node. */
export interface SlowRequests {
  /** Takes the report that a connection's request is too slow. Node reports a request once. */
  report(cause: Error, socket: Duplex): void
  /** Ends all checks. */
  end(): void
}

/**
 * Watches the requests that Node reports.
 *
 * @param giveUp - Called once for each connection whose request is too slow.
 */
export function watchSlowRequests(
  turns: RequestPipeline,
  giveUp: (cause: Error, socket: Duplex) => void,
): SlowRequests {
  const waits = new Map<Duplex, Wait>()
  let tickedAt = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY

  const check = (socket: Duplex, wait: Wait): void => {
    const { isCut, last } = waitOf(turns, socket)
    const limitMs = isCut ? requestTimeoutMs : headersTimeoutMs
    const limitInTicks = limitMs / timeoutCheckMs
    if (last !== wait.last || isCut !== wait.isCut) {
      // What was reported has come. Node does not report its body any more.
      if (isCut) waits.set(socket, { cause: wait.cause, last, isCut, ticksLeft: limitInTicks })
      else waits.delete(socket)
    } else if (isCut && isHeld(last)) {
      wait.ticksLeft = limitInTicks
    } else {
      if (wait.ticksLeft !== undefined) wait.ticksLeft--
      else wait.ticksLeft = tickedAt - stalledAt < limitMs ? limitInTicks : 0
      if (wait.ticksLeft > 0) return
      waits.delete(socket)
      giveUp(wait.cause, socket)
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
    report: (cause, socket) => waits.set(socket, { cause, ...waitOf(turns, socket), ticksLeft: undefined }),
    end: () => {
      end()
      waits.clear()
    },
  }
}

function waitOf(
  turns: RequestPipeline,
  socket: Duplex,
): { readonly last: PipelinedRequest | undefined; readonly isCut: boolean } {
  const last = turns.last(socket)
  return { last, isCut: last !== undefined && !last.request.complete }
}

/** Whether the double does not read on, because nobody has taken what has come of the body. */
const isHeld = (last: PipelinedRequest | undefined): boolean =>
  last !== undefined && last.request.readableLength >= last.request.readableHighWaterMark
