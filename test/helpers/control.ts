/** Sends requests to the control plane over HTTP, and reads its responses. */
import type { CollectionDiff, DoubleHandle, FixtureRecord, JournalEntry } from 'insights-double'

import type { JsonObject } from './as-object-or-list.js'
import type { Served } from './double.js'
import { openEventStream } from './event-stream.js'
import { type Headers, type Reply, sendJson, sendRequest } from './http.js'

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

/** Sends a request while a hundred event streams are open, the maximum of a double. */
export async function whileStreamsAreOpen(double: Served, send: () => Promise<Reply>): Promise<Reply> {
  const streams = await Promise.all(Array.from({ length: 100 }, () => openEventStream(double)))
  const reply = await send()
  await Promise.all(streams.map(async ({ parts }) => parts.return?.()))
  return reply
}

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

/** Returns a state as text, without `$seed`. */
export const withoutSeed = (text: string): string => text.replace(/^ {2}"\$seed": .*\n/mu, '')

export async function changesIn(double: Pick<DoubleHandle, 'diff'>): Promise<CollectionDiff> {
  const { collections } = await double.diff()
  return collections['insights'] ?? { added: [], removed: [], changed: {} }
}

export const entryOf = (double: DoubleHandle, reply: Reply): Promise<JournalEntry> =>
  double.request(reply.headers['x-request-id'] ?? '')
