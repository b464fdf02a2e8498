/** Asks the control plane the way any HTTP client would, and waits for what it says without ever sleeping. */
import { setImmediate as breathe } from 'node:timers/promises'

import type { DoubleHandle, JournalEntry } from 'insights-double'

import type { JsonObject, Served } from './double.js'
import type { Headers, Reply } from './http.js'
import { read } from './http.js'

/** Sends a control request, with a body as JSON if one is given. @param path - Below `/__admin`. */
export async function control(
  double: Served,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Reply> {
  if (body === undefined) return controlText(double, method, path, undefined, headers)
  return controlText(double, method, path, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

/** Sends a control request with a body as it is given. */
export async function controlText(
  double: Served,
  method: string,
  path: string,
  body: string | undefined,
  headers: Headers,
): Promise<Reply> {
  const reply = await fetch(`${double.url}/__admin${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  return read(double, method, reply)
}

/** Everything that a double tells of itself and that a refused request must leave as it is. */
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

/** Checks again and again until something holds. @returns Whether it came to hold in time. */
export async function until(check: () => Promise<boolean> | boolean, withinMs = 10_000): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await check()) return true
    // What is waited for may have to come in first.
    await breathe()
  }
  return false
}

/** The entry of the one exchange that a reply belongs to. */
export function entryOf(double: DoubleHandle, reply: Reply): Promise<JournalEntry> {
  return double.request(reply.headers['x-request-id'] ?? '')
}

/** How long something takes, milliseconds, with what it gives. */
export async function timed<T>(run: () => Promise<T>): Promise<readonly [result: T, milliseconds: number]> {
  const started = performance.now()
  const result = await run()
  return [result, performance.now() - started]
}
