/** Follows the journal by server-sent events, or by polling if there are none. */
import { adminToken } from './api.js'

/** Interval for changes that send no event (reset, `PUT`, clearing), in milliseconds. */
const idleMs = 5000

/** Interval of polling without events, in milliseconds. */
const pollingMs = 2000

/**
 * Follows the journal while the page is open. A hidden page pauses, because a browser has few connections for each host.
 *
 * @param {{ onTick: () => void, onMode: (mode: 'live' | 'polling' | 'resting' | 'lost') => void }} on
 *   `onTick`: the data may have changed; refresh.
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
