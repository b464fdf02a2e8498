/** Starts doubles whose file system calls a test can observe, delay and fail. */
import { channel } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { mkdir, realpath } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'

import type { ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { type Step, watchFolder } from '../disk/patch-fs.js'
import { startHere } from './double-in-thread.js'
import { temporaryFolder } from './files.js'

/** Every step of a write, in order. A test can hold or fail each. */
export const steps: readonly Step[] = ['open', 'write', 'sync', 'rename', 'sync-folder']

/** A double whose file system calls are recorded. */
export interface OnWatchedDisk extends DoubleHandle {
  /** The path of the state file, in its own folder. */
  readonly file: string
  readonly folder: string
  /** Returns the calls on that folder since the last call of this function, with their results. */
  events(): readonly string[]
  /** Waits until, since the start, so many events began with a text. @returns The last of them. */
  reached(beginning: string, count?: number): Promise<string>
  /** Holds a step from now on. */
  hold(step: Step): void
  /** Fails a step from now on, also one that is held. */
  fail(step: Step, code?: string): void
  repair(): void
}

interface Order {
  readonly what: 'hold' | 'fail'
  readonly step: Step
  readonly code: string
}

interface Exchanged {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Starts a double in this process, with a state file. It stops with the test. @param inFolder - Default: a new folder. */
export async function serveOnWatchedDisk(
  t: ExecutionContext,
  options: DoubleOptions = {},
  inFolder?: string,
): Promise<OnWatchedDisk> {
  const folder = await realpath(inFolder ?? (await temporaryFolder(t))).then((path) => join(path, 'kept'))
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'state.json')
  const lines: string[] = []
  const news = new EventEmitter()
  news.setMaxListeners(0)
  const note = (line: string): void => {
    lines.push(line)
    news.emit('event')
  }
  let order: Order | undefined
  const give = (next: Order | undefined): void => {
    order = next
    news.emit('order')
  }
  const isTold = (what: Order['what'], step: Step): boolean => order?.what === what && order.step === step
  const unwatch = watchFolder(folder, {
    before: async (step, path) => {
      if (isTold('hold', step)) note(`held ${step} ${path}`)
      while (isTold('hold', step)) await once(news, 'order')
      if (!isTold('fail', step)) return
      const code = order?.code ?? ''
      throw Object.assign(new Error(`${code}: ${meaningOf(code)}, ${step}`), { code })
    },
    after: (step, path) => note(`${step} ${path}`),
  })
  const double = await startHere({ ...options, state: file })
  const noteExchanges = listenTo(Number(new URL(double.url).port), note)
  t.teardown(async () => {
    give(undefined)
    await double.stop()
    noteExchanges()
    unwatch()
  })
  let seen = lines.length
  return {
    ...double,
    file,
    folder,
    events: () => {
      const fresh = lines.slice(seen)
      seen = lines.length
      return fresh
    },
    reached: async (beginning, count = 1) => {
      const found = (): readonly string[] => lines.filter((line) => line.startsWith(beginning))
      while (found().length < count) await once(news, 'event')
      return found().at(-1) ?? ''
    },
    hold: (step) => give({ what: 'hold', step, code: '' }),
    fail: (step, code = 'EIO') => give({ what: 'fail', step, code }),
    repair: () => give(undefined),
  }
}

/** Returns Node's message for a system error. */
const meaningOf = (code: string): string =>
  [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? 'unknown error'

/** Records the requests to a port and the start of each response. @returns A function that ends the recording. */
function listenTo(port: number, note: (line: string) => void): () => void {
  const asked = channel('http.server.request.start')
  const listener = (message: unknown): void => {
    const { request, response } = message as Exchanged
    if (request.socket.localPort !== port) return
    const what = `${request.method ?? ''} ${request.url ?? ''}`
    note(`asked ${what}`)
    const writeHead = response.writeHead.bind(response) as (...words: readonly unknown[]) => ServerResponse
    Object.assign(response, {
      writeHead: (...words: readonly unknown[]) => {
        note(`reply ${String(words[0])} ${what}`)
        return writeHead(...words)
      },
    })
  }
  asked.subscribe(listener)
  return () => asked.unsubscribe(listener)
}
