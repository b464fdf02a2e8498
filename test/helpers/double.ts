/** Starts doubles for tests, and uses their control plane. A double stops at the end of its test. */
import test, { type ExecutionContext } from 'ava'
import type { CollectionDiff, DoubleHandle, DoubleOptions, FixtureRecord, JournalEntry } from 'insights-double'
import { type Document, parseDocument } from 'yaml'

import type { DoubleListeners } from '#src/double/reload.js'
import { once } from '#src/once.js'

import type { JsonObject } from './as-object-or-list.js'
import { startHere } from './double-in-thread.js'
import { readPackageFile, writeTemporary } from './files.js'
import { type Headers, type Reply, sendJson, sendRequest } from './http.js'
import { hasHost, startHosted } from './test-host-client.js'
import { validateWith } from './validate-responses.js'

export { excuse } from './validate-responses.js'

export interface Served {
  /** The base URL, without a slash at the end. */
  readonly url: string
}

/** Starts a double on a free port, in memory. It stops with the test. */
export const serve = async (
  t: ExecutionContext,
  options: DoubleOptions & DoubleListeners = {},
): Promise<DoubleHandle> => servedUntilEnd(t, await startDouble(options), options)

/** Declares a test of a double with the default options. */
export const testOnDouble = (title: string, run: (t: ExecutionContext, double: DoubleHandle) => Promise<void>): void =>
  test(title, async (t) => run(t, await serve(t)))

/** Starts a double as `serve` does, but always in this thread: for tests that block the thread, read its pid, or listen to the double. */
export const serveHere = async (
  t: ExecutionContext,
  options: DoubleOptions & DoubleListeners = {},
): Promise<DoubleHandle> => servedUntilEnd(t, await startHere(options), options)

function servedUntilEnd(t: ExecutionContext, double: DoubleHandle, { spec }: DoubleOptions): DoubleHandle {
  t.teardown(() => double.stop())
  validateWith(double, spec)
  return double
}

/**
 * Starts a double in the process that hosts the doubles of all test files. If an option is a function, starts it in this thread.
 *
 * @throws The errors of the package's `startDouble`.
 */
export async function startDouble(options: DoubleOptions & DoubleListeners = {}): Promise<DoubleHandle> {
  const isHosted = hasHost && Object.values(options).every((value) => typeof value !== 'function')
  return isHosted ? startHosted(options) : startHere(options)
}

/** Starts a double with a changed copy of the package's spec. */
export const serveChanged = async (
  t: ExecutionContext,
  change: (spec: Document) => void,
  options: DoubleOptions & DoubleListeners = {},
): Promise<Served> => serve(t, { ...options, spec: await changedSpec(t, change) })

/** Writes a changed copy of the package's spec to a file, as JSON: YAML is parsed in a hundred times the time. @returns Its path. */
export async function changedSpec(t: ExecutionContext, change: (spec: Document) => void): Promise<string> {
  const spec = (await original()).clone()
  change(spec)
  return writeTemporary(t, 'insights.json', spec)
}

const original = once(async () => parseDocument(await readPackageFile('spec/insights.yaml')))

/** Sends a control request. If a body is given, sends it as JSON. @param path - Below `/__admin`. */
export const control = (
  double: Served,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Reply> => sendJson(double, method, `/__admin${path}`, body, headers)

/** Sends a control request with an unchanged body. */
export const controlText = (
  double: Served,
  method: string,
  path: string,
  body: string | undefined,
  headers: Headers,
): Promise<Reply> => sendRequest(double, method, `/__admin${path}`, { headers, body })

/** Reads everything that a refused request must not change. */
export async function everything(double: DoubleHandle): Promise<JsonObject> {
  const [state, diff, faults, coverage, requests, sandboxes] = await Promise.all([
    double.state(),
    double.diff(),
    double.faults(),
    double.coverage(),
    double.requests(),
    double.sandboxes(),
  ])
  return { state, diff, faults, coverage, requests, sandboxes: sandboxes.map((sandbox) => ({ ...sandbox, idleMs: 0 })) }
}

export const insightsIn = async (double: Pick<DoubleHandle, 'state'>): Promise<readonly FixtureRecord[]> =>
  (await double.state())['insights'] ?? []

export async function changesIn(double: Pick<DoubleHandle, 'diff'>): Promise<CollectionDiff> {
  const { collections } = await double.diff()
  return collections['insights'] ?? { added: [], removed: [], changed: {} }
}

export const entryOf = (double: DoubleHandle, reply: Reply): Promise<JournalEntry> =>
  double.request(reply.headers['x-request-id'] ?? '')
