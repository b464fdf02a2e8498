/** Sends load to a double, and measures the cost for an open page. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

import type { DoubleHandle } from 'insights-double'
import type { Page } from 'playwright-core'

/** Number of connections. */
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

/** Observes the tasks of a page from now on. @returns A function that returns the duration of the longest, milliseconds. Shorter than 50: 0. */
export async function observeTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.longestTask = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration)
    }).observe({ type: 'longtask' })`)
  return async () => Math.round(await page.evaluate<number>('globalThis.longestTask'))
}
