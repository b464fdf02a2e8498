/**
 * Reads the event stream of the double, and reports changes.
 *
 * `fetch` reads the stream, because an EventSource cannot send the admin token, and does not notice that the computer slept. A hidden page
 * closes its stream, because a browser opens only a few connections to a host.
 */
import { adminToken } from './api.js'

/** Maximum time without data, in milliseconds. The double sends a comment every 15 seconds. */
const maxSilenceMs = 40_000

/** Pauses before the next attempts to connect, in milliseconds. */
const pausesMs = [500, 1000, 2000, 5000]

/**
 * @param {{ onChange: (operation?: string) => void, onMode: (mode: 'live' | 'hidden' | 'lost') => void }} on - `onChange`: the double
 *   may have changed. `operation` is an operation of the control plane; undefined for a request to the service, and after each connection.
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
      // Try again.
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
  // After the computer slept, the first tick finds that too much time has passed.
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

/** Reports each operation of the control plane, and all requests to the service together once. */
function report(events, onChange) {
  if (events.some((event) => /^event: (?:exchange|missed)$/mu.test(event))) onChange()
  for (const event of events) {
    const [, data] = /^event: change\ndata: (.*)$/mu.exec(event) ?? []
    if (data !== undefined) onChange(JSON.parse(data).operation)
  }
}
