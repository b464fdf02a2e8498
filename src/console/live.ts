/**
 * Keeps the page up to date: an event stream says that something has changed, and the components request their data again.
 *
 * `fetch` reads the stream, because an EventSource cannot send the admin token, and does not notice that the computer slept. A hidden page
 * closes its stream, because a browser opens only a few connections to a host.
 */
import { effect, type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { ask, authorization, pageRun, rootRun, snapshot, urlOf } from './api.js'
import { shownRun } from './route.js'

/** `ended`: the run is dropped, or the page is a report. */
export const mode = signal<'ended' | 'hidden' | 'live' | 'lost'>('lost')

/** True if the shown run is dropped, or the page is a report: there is nothing to change. */
export const isEnded = signal(snapshot !== undefined)

/** Returns the address of the other pages of the shown run. In an ended one they cannot send requests, so it is that of the root. */
export const pagesUrl = (): string => `${urlOf(isEnded.value ? rootRun : shownRun.value)}__admin/`

/** True if the page stays as it is, by the wish of the user. */
export const isPaused = signal(false)

/** The effect of the last action of the user, as a sentence, or its error. The page shows it at one place. */
export const notice = signal<unknown>('')

/** It changes when data may have changed. */
const version = signal(0)

/** Minimum time between two changes of the version, milliseconds. */
const restMs = 300

let timer: ReturnType<typeof setTimeout> | undefined
let changedAt = -restMs

/** Requests all shown data again, soon, because the user has asked for it. */
export function refresh(): void {
  const pause = changedAt + restMs - performance.now()
  timer ??= setTimeout(() => {
    timer = undefined
    changedAt = performance.now()
    version.value++
  }, pause)
}

/** Requests all shown data again, soon, unless the page is paused: nobody has asked for it. */
export const refreshUnlessPaused = (): void => {
  if (!isPaused.value) refresh()
}

export function togglePaused(): void {
  isPaused.value = !isPaused.value
  refreshUnlessPaused()
}

/** Sends a change of the shown run to the control plane, and requests all shown data again. @throws {RefusedError} */
export async function change<T>(method: 'DELETE' | 'POST' | 'PUT', path: string, body?: unknown) {
  try {
    return await ask<T>(path, shownRun.value, method, body)
  } finally {
    forget(0)
    // The caller goes on first: it may close what is no longer there.
    setTimeout(() => version.value++)
  }
}

type Loaded<T> = { readonly value?: T | undefined; readonly error?: unknown }

/** A response that its users share: components. It has the versions of the data that were requested and that have arrived. */
type Kept = { readonly loaded: Signal<Loaded<unknown>>; requested: number; arrived: number; users: number }

/** The last 200 responses by address, so that a view shows them at once when it is opened again. */
const kept = new Map<string, Kept>()

/** Forgets the oldest responses without users beyond a number. */
function forget(most: number): void {
  for (const [key, { users }] of kept) if (users === 0 && kept.size > most) kept.delete(key)
}

/**
 * Returns the response to a request of the control plane, which is repeated after each change. A failed one keeps the last response.
 * @param path - Undefined: nothing is requested. @param settings - `isFixed`: it cannot change; only a failed request is repeated.
 */
export function useData<T>(path: string | undefined, settings: { isFixed?: boolean; run?: string } = {}): Loaded<T> {
  const { isFixed = false, run = shownRun.value } = settings
  const key = `${run} ${path ?? ''}`
  const entry: Kept = kept.get(key) ?? { loaded: signal({}), requested: -1, arrived: -1, users: 0 }
  kept.set(key, entry)
  const wanted = isFixed && entry.loaded.value.error === undefined ? 0 : version.value
  useEffect(() => {
    entry.users++
    const leave = (): void => void entry.users--
    forget(200)
    if (path === undefined || entry.requested >= wanted) return leave
    entry.requested = wanted
    const arrive = (loaded: Loaded<unknown>): void => {
      if (entry.arrived > wanted) return
      entry.arrived = wanted
      entry.loaded.value = loaded
    }
    void ask(path, run).then(
      (response) => arrive({ value: response }),
      (error: unknown) => arrive({ value: entry.loaded.value.value, error }),
    )
    return leave
  }, [entry, wanted])
  return entry.loaded.value as Loaded<T>
}

/** Maximum time without data, milliseconds. The double sends a comment every 15 seconds. */
const maxSilenceMs = 40_000

/** The pause before the next attempt to connect, milliseconds. */
const pauseMs = 1000

/** Follows the shown run, from now on. */
export function follow(): void {
  const starts = signal(0)
  document.addEventListener('visibilitychange', () => starts.value++)
  addEventListener('online', () => starts.value++)
  effect(() => {
    void starts.value
    const leaving = new AbortController()
    if (snapshot) mode.value = 'ended'
    else if (document.hidden) mode.value = 'hidden'
    else void stayConnected(shownRun.value, leaving.signal)
    return () => leaving.abort()
  })
}

async function stayConnected(run: string, left: AbortSignal): Promise<void> {
  while (!left.aborted) {
    const isGone = await readStream(run, left).catch(() => false)
    if (left.aborted) return
    mode.value = isGone ? 'ended' : 'lost'
    if (isGone) return
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Reads a stream until it ends, fails or is silent for too long. @returns True if the run is dropped. */
async function readStream(run: string, left: AbortSignal): Promise<boolean> {
  const silence = new AbortController()
  let heardAt = Date.now()
  // After the computer slept, the first tick finds that too much time has passed.
  const watch = setInterval(() => {
    if (Date.now() - heardAt > maxSilenceMs) silence.abort()
  }, 5000)
  try {
    const { body, headers, ok } = await fetch(`${urlOf(run)}__admin/events?changes=true`, {
      cache: 'no-store',
      headers: authorization(),
      signal: AbortSignal.any([left, silence.signal]),
    })
    if (!ok) {
      // After a restart, the double may ask for another admin token. The next request says so.
      const isUnknown = headers.get('x-error-code') === 'unknown_sandbox'
      if (!isUnknown) refresh()
      return isUnknown && run !== pageRun
    }
    mode.value = 'live'
    refreshUnlessPaused()
    let rest = ''
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heardAt = Date.now()
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      if (events.some((event) => /^event: (?:change|exchange|missed)$/mu.test(event))) refreshUnlessPaused()
    }
    return false
  } finally {
    clearInterval(watch)
  }
}
