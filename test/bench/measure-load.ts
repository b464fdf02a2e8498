/**
 * Sends requests of one kind for some seconds, as fast as the server responds, and counts them.
 *
 * Usage: node crud-load.js <options as JSON>, which prints figures by kind as JSON.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { Connection, type SentRequest } from '../helpers/connection.js'
import { rooms } from '../helpers/many-plants.js'
import { cpuMsOf } from '../helpers/scripts.js'
import { seededRandom } from '../helpers/seeded-random.js'

/** The kinds of load of plants. `create and remove` creates some records and removes them again, in turn; both are counted. */
export const loads = ['read by id', 'page', 'filtered page', 'update', 'create and remove'] as const

export interface LoadOptions {
  readonly origin: string
  /** The server's process, whose processor time is counted. */
  readonly pid: number
  /** A kind, or the path of a list. */
  readonly load: (typeof loads)[number] | `/${string}`
  readonly seconds: number
  readonly clients: number
  /** Not for a list. */
  readonly plants?: Plants
}

/** The plants of a server, and the form of requests about them. */
export interface Plants {
  /** Their number: `plant-1`, `plant-2`, … */
  readonly records: number
  /** Names of the query parameters for the size and the number of a page. */
  readonly size: string
  readonly page: string
  readonly patch: string
}

export interface Figures {
  readonly perSecond: number
  /** Processor time of the server for a request, microseconds. */
  readonly cpuUs: number
}

export type FiguresByKind = Readonly<Record<string, Figures>>

export async function measureLoad(options: LoadOptions): Promise<FiguresByKind> {
  const words = [fileURLToPath(import.meta.url), JSON.stringify(options)]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  return JSON.parse(stdout) as FiguresByKind
}

/** The number of records that are created before they are removed again. It is small, so that the number of records stays about the same. */
const batch = 200

/** Counts requests, the time they took and the processor time of the server. */
class Count {
  #requests = 0
  #ms = 0
  #cpuMs = 0

  /** Measures requests. @param send - Sends them, and returns the number of responses. */
  async measure(pid: number, send: () => Promise<number>): Promise<void> {
    const cpuBefore = await cpuMsOf(pid)
    const started = performance.now()
    this.#requests += await send()
    this.#ms += performance.now() - started
    this.#cpuMs += (await cpuMsOf(pid)) - cpuBefore
  }

  get figures(): Figures {
    return { perSecond: (this.#requests / this.#ms) * 1000, cpuUs: (this.#cpuMs / this.#requests) * 1000 }
  }
}

async function run(options: LoadOptions): Promise<FiguresByKind> {
  const { clients, load, origin, pid, seconds } = options
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(new URL(origin))))
  const until = performance.now() + seconds * 1000
  const isOver = (): boolean => performance.now() >= until
  const sendAll = async (next: () => SentRequest | undefined, onBody?: (body: string) => void): Promise<number> => {
    let count = 0
    const work = async (connection: Connection): Promise<void> => {
      for (let request = next(); request; request = next()) {
        const body = await connection.send(request)
        count++
        onBody?.(body)
      }
    }
    await Promise.all(connections.map(work))
    return count
  }
  try {
    if (load === 'create and remove') return await createAndRemove(pid, isOver, sendAll)
    const make = createRequests(options)
    const count = new Count()
    await count.measure(pid, () => sendAll(() => (isOver() ? undefined : make())))
    return { [load]: count.figures }
  } finally {
    for (const connection of connections) connection.end()
  }
}

async function createAndRemove(
  pid: number,
  isOver: () => boolean,
  sendAll: (next: () => SentRequest | undefined, onBody?: (body: string) => void) => Promise<number>,
): Promise<FiguresByKind> {
  const creates = new Count()
  const removes = new Count()
  const body = JSON.stringify({ name: 'New plant', room: 'hall', thirsty: true, about: 'It came today. '.repeat(15) })
  do {
    const ids: string[] = []
    let left = batch
    await creates.measure(pid, () =>
      sendAll(
        () => (left-- > 0 ? { method: 'POST', path: '/plants', body, mediaType: 'application/json' } : undefined),
        (created) => ids.push(/"id":\s*"([^"]+)"/u.exec(created)?.[1] ?? ''),
      ),
    )
    await removes.measure(pid, () =>
      sendAll(() => {
        const id = ids.pop()
        return id === undefined ? undefined : { method: 'DELETE', path: `/plants/${id}` }
      }),
    )
  } while (!isOver())
  return { create: creates.figures, remove: removes.figures }
}

/** Makes requests that differ in the record, the page and the filter. */
function createRequests({ load, plants }: LoadOptions): () => SentRequest {
  const { page, patch, records, size } = plants ?? { page: '', patch: '', records: 0, size: '' }
  const random = seededRandom(1)
  const below = (limit: number): number => Math.floor(random() * limit)
  const item = (): string => `/plants/plant-${1 + below(records)}`
  // The same pages for each number of records, so that their sizes are equal.
  const ofPage = (): string => `${size}=20&${page}=${1 + below(5)}`
  if (load === 'read by id') return () => ({ method: 'GET', path: item() })
  if (load === 'page') return () => ({ method: 'GET', path: `/plants?${ofPage()}` })
  if (load === 'filtered page')
    return () => ({ method: 'GET', path: `/plants?room=${rooms[below(rooms.length)]}&${ofPage()}` })
  if (load !== 'update') return () => ({ method: 'GET', path: load })
  return () => ({ method: 'PATCH', path: item(), body: JSON.stringify({ heightCm: below(10_000) }), mediaType: patch })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await run(JSON.parse(process.argv[2] ?? '{}') as LoadOptions)
  process.stdout.write(JSON.stringify(figures))
}
