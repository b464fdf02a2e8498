/** Sends requests to the control plane. A report of `run` has their responses in the page, as a snapshot. */
import { signal } from '@preact/signals'

import type { SandboxSummary, StateDiff } from '../control/document-types.js'
import type { Explanation } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import type { Fault } from '../sandbox/faults.js'
import type { JournalEntry, RequestSummary } from '../sandbox/journal-entry.js'

/** A request in brief, as `GET /request-lines` lists it. */
export type RequestLine = Omit<RequestSummary, 'note' | 'preference' | 'sandbox' | 'variations' | 'violations'> & {
  readonly warnings: number
}

export interface RequestLines {
  /** Newest first. */
  readonly lines: readonly RequestLine[]
  readonly matched: number
  readonly total: number
  readonly evicted: number
}

/** What a report shows, by the name of the run. */
export interface Snapshot {
  readonly contract: Explanation
  readonly sandboxes: readonly SandboxSummary[]
  readonly runs: Readonly<
    Record<
      string,
      {
        readonly entries: readonly (JournalEntry | RequestSummary)[]
        readonly evicted: number
        readonly diff: StateDiff
        readonly faults: readonly Fault[]
        readonly coverage: readonly CoverageRow[]
      }
    >
  >
}

const snapshotText = document.getElementById('snapshot')?.textContent
export const snapshot = snapshotText === undefined ? undefined : (JSON.parse(snapshotText ?? '') as Snapshot)

export const rootRun = 'root'

const encodedName = /\/sandboxes\/([^/]+)\/__admin\//u.exec(location.pathname)?.[1]

/** The run that the address of the page names: a sandbox, or the root. */
export const pageRun = encodedName === undefined ? rootRun : decodeURIComponent(encodedName)

/** The base URL of the root, with a slash at its end. */
export const rootUrl = snapshot ? '' : new URL(pageRun === rootRun ? '../' : '../../../', location.href).href

/** Returns the base URL of a run, with a slash at its end. */
export const urlOf = (run: string): string =>
  run === rootRun ? rootUrl : `${rootUrl}sandboxes/${encodeURIComponent(run)}/`

/** Key of the admin token in the session storage, which the browser clears when the tab is closed. */
const tokenKey = 'insights-double-admin-token'

export const adminToken = (): string | null => sessionStorage.getItem(tokenKey)

/** @param token - Empty: removes it. */
export function keepAdminToken(token: string): void {
  if (token === '') sessionStorage.removeItem(tokenKey)
  else sessionStorage.setItem(tokenKey, token)
}

export const authorization = (): Readonly<Record<string, string>> => {
  const token = adminToken()
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

/** An error response, with its message. The status is 0 if there was no response. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  readonly status: number
  /** The `x-error-code` of the response. */
  readonly code: string | null

  constructor(status: number, code: string | null, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The path of a request that has had no response for a second. Empty: none. */
export const waitingFor = signal('')

/** The number of refused requests for lack of the admin token. */
export const refusedTokens = signal(0)

interface AskOptions {
  /** Default: the run that the address of the page names. */
  readonly run?: string
  readonly method?: 'DELETE' | 'GET' | 'POST' | 'PUT'
  readonly body?: unknown
}

/**
 * Sends a request to the control plane. @param path - Relative to `/__admin/`. @returns The JSON or the text of the response. Undefined for a 204.
 *
 * @throws {RefusedError}
 */
export async function ask<T>(path: string, { body, method = 'GET', run = pageRun }: AskOptions = {}): Promise<T> {
  if (snapshot) return answerFrom(snapshot, run, path) as T
  const timer = setTimeout(() => (waitingFor.value = `${method} ${path.replace(/\?.*/u, '')}`), 900)
  try {
    const response = await fetch(`${urlOf(run)}__admin/${path}`, {
      method,
      cache: 'no-store',
      headers: { ...authorization(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      // The error of `fetch` does not tell the user what to do.
      throw new RefusedError(0, null, 'The double does not respond. Start it again if it was stopped.')
    })
    if (response.status === 401) refusedTokens.value++
    if (!response.ok)
      throw new RefusedError(response.status, response.headers.get('x-error-code'), await messageOf(response))
    if (response.status === 204) return undefined as T
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return (await (isJson ? response.json() : response.text())) as T
  } finally {
    clearTimeout(timer)
    waitingFor.value = ''
  }
}

const messageOf = (response: Response): Promise<string> =>
  response.json().then(
    ({ message }: { readonly message?: unknown }) => String(message),
    () => `The double sent status ${response.status}.`,
  )

/** Adds a query to a path. Leaves out empty and undefined values. */
export function addQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}

export const errorText = (error: unknown): string =>
  error instanceof RefusedError ? error.message : `The page has an internal error: ${String(error)}`

function answerFrom({ contract, runs, sandboxes }: Snapshot, run: string, path: string): unknown {
  const [name = ''] = path.split('?')
  const kept = runs[run]
  if (name === 'collections') return contract
  if (name === 'sandboxes') return sandboxes
  if (!kept) throw new RefusedError(404, 'unknown_sandbox', `The report has no run ${run}.`)
  const { entries, evicted } = kept
  if (name === 'request-lines') {
    const lines = entries.toReversed().map((entry) => ({
      ...entry,
      warnings: entry.violations.filter(({ severity }) => severity === 'Warning').length,
    }))
    return path.includes('after=')
      ? { lines: [], matched: 0, total: entries.length, evicted }
      : { lines, matched: lines.length, total: lines.length, evicted }
  }
  if (name.startsWith('requests/')) return entries.find(({ id }) => id === decodeURIComponent(name.slice(9)))
  return { 'state/diff': kept.diff, coverage: kept.coverage, faults: kept.faults, callers: {} }[name] ?? []
}
