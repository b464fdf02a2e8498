/**
 * Follows the changes of the double by its event stream.
 *
 * `fetch` reads the stream, because an EventSource cannot send the admin token, and does not notice that the computer slept. While the page
 * is hidden there is no stream: a browser has few connections for each host.
 */
import { adminToken } from './api.js'

/** The longest silence of a stream, milliseconds. The double sends a comment every 15 seconds. */
const maxSilenceMs = 40_000

/** Pauses before the next attempts to connect, milliseconds. */
const pausesMs = [500, 1000, 2000, 5000]

/**
 * Follows the double while the page is visible.
 *
 * @param {{ onChange: (operation?: string) => void, onMode: (mode: 'live' | 'hidden' | 'lost') => void }} on - `onChange`: something has
 *   changed. It names the operation of the control plane; it is undefined for a request of the service and after a connection.
 */
export function follow({ onChange, onMode }) {
  let leaving = new AbortController()

  const start = () => {
    leaving.abort()
    leaving = new AbortController()
    if (document.hidden) onMode('hidden')
    else void stayConnected(leaving.signal, onChange, onMode)
  }

  document.addEventListener('visibilitychange', start)
  addEventListener('online', start)
  start()
}

async function stayConnected(signal, onChange, onMode) {
  let failures = 0
  while (!signal.aborted) {
    try {
      await readStream(signal, onChange, () => {
        failures = 0
        onMode('live')
        onChange()
      })
    } catch {
      // The next attempt tells.
    }
    if (signal.aborted) return
    onMode('lost')
    await new Promise((resolve) => {
      setTimeout(resolve, pausesMs[Math.min(failures++, pausesMs.length - 1)])
    })
  }
}

/** Reads a stream until it ends, fails or is silent for too long. */
async function readStream(signal, onChange, onOpen) {
  const silence = new AbortController()
  const token = adminToken()
  let heardAt = Date.now()
  // After a sleep, the clock shows the silence at the first tick.
  const watch = setInterval(() => {
    if (Date.now() - heardAt > maxSilenceMs) silence.abort()
  }, 5000)
  try {
    const { body, ok } = await fetch('events?changes=true', {
      cache: 'no-store',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (!ok) return
    onOpen()
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ;) {
      const { done, value } = await reader.read()
      if (done) return
      heardAt = Date.now()
      const events = (rest + value).split('\n\n')
      rest = events.pop()
      report(events, onChange)
    }
  } finally {
    clearInterval(watch)
  }
}

/** Reports each operation of the control plane, and any number of requests once. */
function report(events, onChange) {
  if (events.some((event) => /^event: (?:exchange|missed)$/mu.test(event))) onChange()
  for (const event of events) {
    const [, data] = /^event: change\ndata: (.*)$/mu.exec(event) ?? []
    if (data !== undefined) onChange(JSON.parse(data).operation)
  }
}
