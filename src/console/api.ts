/** Sends requests to the control plane. A report of `run` has their responses in the page, as a snapshot. */
import { signal } from '@preact/signals'

type Responses = Readonly<Record<string, unknown>>

/** The responses of a report by path: those of all runs, and those of each by its name; and the run that it opens with. */
type Snapshot = Readonly<{ first: string; ofAll: Responses; ofRuns: Readonly<Record<string, Responses>> }>

const snapshotText = document.getElementById('snapshot')?.textContent ?? undefined

/** Undefined: the page is no report. */
export const snapshot = snapshotText === undefined ? undefined : (JSON.parse(snapshotText) as Snapshot)

export const rootRun = 'root'

const encodedName = /\/sandboxes\/([^/]+)\/__admin\//u.exec(location.pathname)?.[1]

/** The run that the address of the page names: a sandbox, or the root; of a report, its first one. */
export const pageRun = encodedName ? decodeURIComponent(encodedName) : (snapshot?.first ?? rootRun)

/** The base URL of the root, with a slash at its end. */
export const rootUrl = snapshot ? '' : new URL(pageRun === rootRun ? '../' : '../../../', location.href).href

/** Returns the base URL of a run, with a slash at its end. */
export const urlOf = (run: string): string =>
  run === rootRun ? rootUrl : `${rootUrl}sandboxes/${encodeURIComponent(run)}/`

/** Key of the admin token in the session storage, which the browser clears when the tab is closed. */
const tokenKey = 'insights-double-admin-token'

export const adminToken = (): string | null => sessionStorage.getItem(tokenKey) || null

export const keepAdminToken = (token: string): void => sessionStorage.setItem(tokenKey, token)

export const authorization = (token = adminToken()): Readonly<Record<string, string>> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

/** A message for the user: of an error response, or of the page. Its cause is the `x-error-code` of the response. */
export class RefusedError extends Error {}

/** Tells whether a response has refused a request with an `x-error-code`. */
export const hasCode = (error: unknown, code: string): boolean => error instanceof RefusedError && error.cause === code

/** The path of a request that has had no response for 0.7 seconds. Empty: none. */
export const waitingFor = signal('')

/** The number of refused requests for lack of the admin token. */
export const refusedTokens = signal(0)

/** Sends a request to the control plane. @param path - Relative to `/__admin/`. @returns The JSON or the text. Undefined for a 204. @throws {RefusedError} */
export async function ask<T>(path: string, run = pageRun, method = 'GET', body?: unknown): Promise<T> {
  if (snapshot) return answerFrom(snapshot, run, path) as T
  const what = `${method} ${path.replace(/\?.*/u, '')}`
  const timer = setTimeout(() => (waitingFor.value = what), 700)
  try {
    const response = await fetch(`${urlOf(run)}__admin/${path}`, {
      method,
      cache: 'no-store',
      headers: { ...authorization(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      // The error of `fetch` does not tell the user what to do.
      throw new RefusedError('The double does not respond. Start it again if it was stopped.')
    })
    if (response.status === 401) refusedTokens.value++
    if (!response.ok) {
      const byDefault = { message: `The double sent status ${response.status}.` }
      const { message } = (await response.json().catch(() => byDefault)) as typeof byDefault
      throw new RefusedError(message, { cause: response.headers.get('x-error-code') })
    }
    if (response.status === 204) return undefined as T
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return (await (isJson ? response.json() : response.text())) as T
  } finally {
    clearTimeout(timer)
    if (waitingFor.value === what) waitingFor.value = ''
  }
}

/** @param what - What the text is, for the message. @throws {RefusedError} It is not JSON. */
export function jsonFrom(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new RefusedError(`${what} is not JSON: ${(error as Error).message}.`)
  }
}

/** Adds a query to a path. Leaves out empty and undefined values. */
export function addQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value = '']) => (value === '' ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

export const errorText = (error: unknown): string =>
  error instanceof RefusedError ? error.message : `The page has an internal error: ${String(error)}`

function answerFrom({ ofAll, ofRuns }: Snapshot, run: string, path: string): unknown {
  const responses = ofRuns[run]
  if (!responses) throw new RefusedError('The report does not have this run.', { cause: 'unknown_sandbox' })
  const known = { ...ofAll, ...responses }
  const response = known[path] ?? known[path.replace(/\?.*/u, '')]
  if (response === undefined) throw new RefusedError('The report does not have this.')
  return response
}
