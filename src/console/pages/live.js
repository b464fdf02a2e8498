/** Follows the journal: by server-sent events, or by asking again and again where those cannot be had. */
import { adminToken } from './api.js'

/** How often to ask for what no event tells: what others reset, replaced or cleared. Milliseconds. */
const idleMs = 5000

/** How often to ask where there are no events. Milliseconds. */
const pollingMs = 2000

/**
 * Follows for as long as the page is open. A hidden page rests, so that it takes none of the few connections a browser has for a host.
 *
 * @param {{ onTick: () => void, onMode: (mode: 'live' | 'polling' | 'resting' | 'lost') => void }} on
 *   `onTick`: something happened, or may have; it is time to ask for everything.
 */
export function follow({ onMode, onTick }) {
  let source
  let timer

  const rest = () => {
    source?.close()
    clearInterval(timer)
  }

  const poll = () => {
    rest()
    onMode('polling')
    timer = setInterval(onTick, pollingMs)
  }

  const start = () => {
    rest()
    if (document.hidden) return onMode('resting')
    onTick()
    // An EventSource cannot send a token.
    if (adminToken() !== null) return poll()
    timer = setInterval(onTick, idleMs)
    source = new EventSource('events')
    source.addEventListener('exchange', onTick)
    source.addEventListener('missed', onTick)
    source.addEventListener('open', () => {
      onMode('live')
      onTick()
    })
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) poll()
      else onMode('lost')
    })
    return undefined
  }

  document.addEventListener('visibilitychange', start)
  start()
}
