/** Sends load to a double, and measures the cost for an open page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

import type { DoubleHandle } from 'insights-double'
import type { Page } from 'playwright-core'

const connections = 4

/** Pause between two bursts, milliseconds. */
const pauseMs = 40

/**
 * Lists one insight as ada, many times: in bursts, over a few connections, without waiting for the responses.
 *
 * @returns The rate at which the requests were recorded, per second.
 */
export async function listAtRate(double: DoubleHandle, perSecond: number, seconds: number): Promise<number> {
  const { hostname, port } = new URL(double.url)
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).resume())
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const request = `GET /insights?limit=1 HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ada-token\r\n\r\n`
  const recordedBefore = await recorded(double)
  const started = performance.now()
  const wanted = perSecond * seconds
  for (let sent = 0; sent < wanted; await wait(pauseMs)) {
    const due = Math.min(wanted, Math.ceil(((performance.now() - started) / 1000) * perSecond))
    for (; sent < due; sent++) sockets[sent % connections]?.write(request)
  }
  while ((await recorded(double)) < recordedBefore + wanted) await wait(pauseMs)
  const rate = wanted / ((performance.now() - started) / 1000)
  for (const socket of sockets) socket.destroy()
  return Math.round(rate)
}

async function recorded({ url }: DoubleHandle): Promise<number> {
  const response = await fetch(`${url}/__admin/request-lines?limit=1`)
  const { evicted, total } = (await response.json()) as { evicted: number; total: number }
  return evicted + total
}

/** An event of a trace of Chromium. Times are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly args: { readonly name?: string }
  readonly dur?: number
  /** CPU time, which does not grow with the load of the machine. */
  readonly tdur?: number
}

/** The maximum time of a task that a user does not notice, in milliseconds. */
const maxTaskMs = 50

/**
 * Traces the tasks of a page from now on.
 *
 * @returns A function that describes the longest task. It fails if the CPU time of a task is longer than that.
 */
export async function traceTasks(page: Page): Promise<() => Promise<string>> {
  const browser = page.context().browser()
  if (!browser) throw new TypeError('the page has no browser')
  await browser.startTracing(page, { categories: ['toplevel'] })
  return async () => {
    const trace = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
    const threads = trace.traceEvents.filter(
      ({ args, name }) => name === 'thread_name' && args.name === 'CrRendererMain',
    )
    const tasks = trace.traceEvents.filter(
      ({ name, pid, tid }) =>
        name.endsWith('RunTask') && threads.some((thread) => thread.pid === pid && thread.tid === tid),
    )
    const longest = (length: (event: TraceEvent) => number): number =>
      Math.round(tasks.reduce((most, event) => Math.max(most, length(event)), 0) / 1000)
    const [cpuMs, wallMs] = [longest(({ tdur = 0 }) => tdur), longest(({ dur = 0 }) => dur)]
    assert.ok(tasks.length > 0 && cpuMs > 0, 'the trace has tasks')
    assert.ok(cpuMs < maxTaskMs, `a task took ${cpuMs} ms of CPU time`)
    return `longest task ${cpuMs} ms of CPU time, ${wallMs} ms with the load of this machine`
  }
}
