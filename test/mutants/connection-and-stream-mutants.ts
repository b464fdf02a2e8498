/** Mutants of connections and event streams. */
import type { Mutant } from './mutant.js'

/** Connections: order, ends, and clients that leave. */
export const connections: readonly Mutant[] = [
  {
    file: 'server/pipelining.ts',
    search: 'if (this.isIdle(socket)) startIfOpen()',
    replace: 'if (this.isIdle(socket) || !socket.destroyed) startIfOpen()',
    guarantee: 'requests of a connection are served one after the other',
    killedBy: ['pipelining'],
  },
  {
    file: 'server/http-server.ts',
    search: 'socket.destroySoon = () => closeLingering(socket)',
    replace: '',
    guarantee: 'a client that continues to send gets the last response',
    killedBy: ['regressions/last-response-arrives'],
  },
  {
    file: 'server/http-server.ts',
    search: 'Object.assign(server, { httpAllowHalfOpen: true })',
    replace: '',
    guarantee: 'a client that ends its side gets its responses',
    killedBy: ['regressions/half-closed-connections'],
  },
  {
    file: 'http/delay.ts',
    search: 'if (socket.destroyed)',
    replace: 'if (socket.destroyed && milliseconds < 0)',
    guarantee: 'a delayed delete is not served if the client disconnects',
    killedBy: ['regressions/requests-after-the-last'],
  },
]

/** Streams of events, to clients that do not read. */
export const streams: readonly Mutant[] = [
  {
    file: 'control/event-streams.ts',
    search: 'if (this.#unsentBytes > maxUnsentBytes) this.destroy()',
    replace: '',
    guarantee: 'a client that does not read its events is disconnected',
    killedBy: ['slow-event-stream-clients'],
  },
  {
    file: 'control/event-streams.ts',
    search: 'if (this.#isWaiting) {',
    replace: 'if (!this.destroyed) {',
    guarantee: 'events wait in the journal until the client reads',
    killedBy: ['slow-event-stream-clients'],
  },
]
