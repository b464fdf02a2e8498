/**
 * Node compares times before it reads its sockets. So after a stall of the process, it reports requests that have arrived in time. A
 * reported request is rejected if the process has not stalled during the time limit. Otherwise the limit starts again, counted in ticks.
 *
 * Node also reports a connection that has not sent a byte. It stays open as long as an idle one, because its client may have stalled.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { headersTimeoutMs, keepAliveMs, onEachTick, requestTimeoutMs, timeoutCheckMs } from './limits.js'
import { isLingering, type PipelinedRequest, type RequestPipeline } from './pipelining.js'

interface Wait {
  readonly cause: Error
  readonly last: PipelinedRequest | undefined
  /** The time limit: for the rest of that request if it is incomplete, otherwise for the header or the first byte of the next one. */
  readonly limitMs: number
  /** The remaining time in ticks. Undefined until the report has been checked. */
  ticksLeft: number | undefined
}

export interface TimeoutCheck {
  /** Adds a connection whose request Node reports as too slow. Node reports each request once. */
  report(cause: Error, socket: Duplex): void
  end(): void
}

/** Starts to check slow requests. @param reject - Called once for each connection whose request is too slow. */
export function createTimeoutCheck(
  pipeline: RequestPipeline,
  reject: (cause: Error, socket: Duplex) => void,
): TimeoutCheck {
  const waits = new Map<Duplex, Wait>()
  let tickedAt = performance.now()
  let stalledAt = Number.NEGATIVE_INFINITY

  const check = (socket: Duplex, wait: Wait): void => {
    const { last, limitMs } = waitOf(pipeline, socket)
    const limitInTicks = limitMs / timeoutCheckMs
    if (last !== wait.last || limitMs !== wait.limitMs) {
      // The reported header or its first byte has arrived. Node may not report the rest of that request again.
      if (last?.request.complete === true) waits.delete(socket)
      else waits.set(socket, { cause: wait.cause, last, limitMs, ticksLeft: limitInTicks })
    } else if (isPaused(last)) {
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
    report: (cause, socket) => {
      const ticksLeft = isSilent(socket) ? keepAliveMs / timeoutCheckMs : undefined
      waits.set(socket, { cause, ...waitOf(pipeline, socket), ticksLeft })
    },
    end: () => {
      end()
      waits.clear()
    },
  }
}

export const isSilent = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0

function waitOf(pipeline: RequestPipeline, socket: Duplex): Pick<Wait, 'last' | 'limitMs'> {
  const last = pipeline.last(socket)
  if (last?.request.complete === false) return { last, limitMs: requestTimeoutMs }
  return { last, limitMs: isSilent(socket) ? keepAliveMs : headersTimeoutMs }
}

/** Tells whether the double does not read the rest of the body, because the received part was not consumed. */
const isPaused = (last: PipelinedRequest | undefined): boolean =>
  last?.request.complete === false && last.request.readableLength >= last.request.readableHighWaterMark
