/** Measures the processor time and the memory of servers while they respond. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Connection, type SentRequest } from '../helpers/connection.js'
import { cpuMsOf, numberArguments } from '../helpers/scripts.js'
import { type ComparedServer, start } from './compared-servers.js'

/** The number of connections of a load, and its seconds. */
export const { clients, seconds } = numberArguments({ clients: 32, seconds: 2 })

export const serverOf = (build: string, words: readonly string[], path = '/insights'): ComparedServer => ({
  name: words.join(' '),
  command: (port) => [join(build, 'bundle/main.js'), '--port', `${port}`, '--log', 'silent', ...words],
  path,
})

export async function memoryMb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/mu.exec(text)?.[1]) / 1024
}

export async function cpuToStart(server: ComparedServer): Promise<number> {
  await using serving = await start(server)
  return await cpuMsOf(serving.pid)
}

/** Sends requests as fast as a server responds, after three seconds in which V8 compiles what they use. @returns The processor time of each, microseconds. */
export async function cpuOfEach(
  url: string,
  pid: number,
  next: (count: number) => SentRequest,
  { most = Infinity, onBody = () => {} }: { readonly most?: number; readonly onBody?: (body: string) => unknown } = {},
): Promise<number> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(new URL(url))))
  let count = 0
  const send = async (ms: number, limit: number, least = 0): Promise<void> => {
    const until = performance.now() + ms
    await Promise.all(
      connections.map(async (connection) => {
        while ((performance.now() < until || count < least) && count < limit)
          onBody(await connection.send(next(count++)))
      }),
    )
  }
  // V8 optimises what has run often: a client reads long lists slowly, and three seconds are few requests of these.
  await send(3000, most / 2, 10_000)
  const [sent, before] = [count, await cpuMsOf(pid)]
  await send(seconds * 1000, most)
  const cpuMs = (await cpuMsOf(pid)) - before
  for (const connection of connections) connection.end()
  return (cpuMs * 1000) / (count - sent)
}

/** The processor time of each request of a kind, microseconds. */
export type Costs = Readonly<Record<string, number>>

/** Measures requests about plants. @param patch - The media type of changes. @param page - The query of a page of 20, without its number. */
export async function plantCosts(server: ComparedServer, patch: string, page: string): Promise<Costs> {
  await using serving = await start(server)
  const { origin } = new URL(serving.url)
  const item = (count: number): string => `/plants/plant-${1 + (count % 100)}`
  const body = JSON.stringify({ name: 'New', room: 'hall', thirsty: true })
  const ids: string[] = []
  const kinds: Readonly<Record<string, (count: number) => SentRequest>> = {
    'read by id': (count) => ({ method: 'GET', path: item(count) }),
    page: (count) => ({ method: 'GET', path: `/plants?${page}=${1 + (count % 5)}` }),
    create: () => ({ method: 'POST', path: '/plants', mediaType: 'application/json', body }),
    update: (count) => {
      const change = JSON.stringify({ heightCm: count % 10_000 })
      return { method: 'PATCH', path: item(count), mediaType: patch, body: change }
    },
    remove: (count) => ({ method: 'DELETE', path: `/plants/${ids[count]}` }),
  }
  const costs: Record<string, number> = {}
  for (const [kind, next] of Object.entries(kinds)) {
    const keepId = (created: string): unknown =>
      kind === 'create' && ids.push(/"id":\s*"([^"]+)"/u.exec(created)?.[1] ?? '')
    const most = kind === 'remove' ? ids.length : Infinity
    costs[kind] = await cpuOfEach(origin, serving.pid, next, { most, onBody: keepId })
  }
  return costs
}

export const list = (): SentRequest => ({ method: 'GET', path: '/insights' })

/** Measures lists of a server. @param prepare - Called before the requests, with its URL. */
export async function cpuOfList(server: ComparedServer, prepare?: (url: string) => Promise<void>): Promise<number> {
  await using serving = await start(server)
  const { origin } = new URL(serving.url)
  await prepare?.(origin)
  return await cpuOfEach(origin, serving.pid, list)
}
