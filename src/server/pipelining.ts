/**
 * Takes the requests of a connection in turn. A client may send several without waiting; they are answered in their order anyway, and
 * one that follows a change must see it, so each is begun when the one before is answered. What follows the last is never begun.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { isLingering } from './lingering-close.js'

/** The last request of a connection. */
export interface PipelinedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The requests of each connection, in turn. */
export class RequestPipeline {
  readonly #last = new WeakMap<Duplex, PipelinedRequest>()
  /** Those whose last request is under way. It is until Node has let go of its response, which is later than the last byte. */
  readonly #busy = new WeakSet<Duplex>()

  /** The last request that came on a connection. */
  last(socket: Duplex): PipelinedRequest | undefined {
    return this.#last.get(socket)
  }

  /** Whether no request of a connection is under way. */
  isIdle(socket: Duplex): boolean {
    return !this.#busy.has(socket)
  }

  /** Makes a request the last of its connection, and begins it when the one before is answered. */
  enqueue(turn: PipelinedRequest, begin: () => void): void {
    const { socket } = turn.request
    this.afterLast(socket, begin)
    this.#last.set(socket, turn)
    this.#busy.add(socket)
    turn.response.once('close', () => {
      if (this.#last.get(socket) === turn) this.#busy.delete(socket)
    })
  }

  /**
   * Calls back when the last request of a connection is answered: now, where there is none under way. Never, where the connection is
   * closed by then, or was answered for the last time.
   */
  afterLast(socket: Duplex, begin: () => void): void {
    const beginIfOpen = (): void => {
      if (!socket.destroyed && !isLingering(socket)) begin()
    }
    if (this.isIdle(socket)) beginIfOpen()
    else this.#last.get(socket)?.response.once('close', beginIfOpen)
  }
}
