/** Nothing here uses timers, `fetch` or events of the global object: tests replace them. The worker has its own. */
import type { Worker } from 'node:worker_threads'

import { errorMessage } from '../error-message.js'
import { builtinModule, environmentWith, environmentWithout, isPlugAndPlay } from '../node-process.js'
import { workerFile } from '../package-files.js'
import { NoResponseError } from './control-request.js'
import { deserializeError, type NumberedCall, type WorkerAnswer, type WorkerCall } from './worker-messages.js'

const workerThreads = () => builtinModule('node:worker_threads')

let connection: ReturnType<typeof connect> | undefined

export const workerConnection = () => (connection ??= connect())

function connect() {
  const worker = findOrStartWorker()
  const { port1: port, port2 } = new (workerThreads().MessageChannel)()
  worker.postMessage(port2, [port2])
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  const running = new Set<symbol>()
  let lastId = 0
  let ended: NoResponseError | undefined
  const updateRef = (): void => {
    if (pending.size + running.size > 0) port.ref()
    else port.unref()
  }

  worker.on('error', (error) => (worker[endReason] = errorMessage(error)))
  worker.once('exit', (code) => {
    const reason = worker[endReason] ?? `exit code ${code}`
    ended = new NoResponseError(`The worker thread of the double has ended: ${reason}.`)
    connection = undefined
    for (const { reject } of pending.values()) reject(ended)
    port.close()
  })
  // When a worker ends, its port closes before `exit`. Keep the process alive until `exit`: calls wait for it.
  port.once('close', () => worker.ref())
  port.on('message', (text: string) => {
    const { failure, id, result } = JSON.parse(text) as WorkerAnswer
    const waiting = pending.get(id)
    pending.delete(id)
    updateRef()
    if (failure) waiting?.reject(deserializeError(failure))
    else waiting?.resolve(result)
  })
  updateRef()
  /** Calls the worker. The process does not end before the answer. @throws What the worker throws, or a `NoResponseError` if it has ended. */
  const call = (wanted: WorkerCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      const id = ++lastId
      pending.set(id, { resolve, reject })
      updateRef()
      port.postMessage(JSON.stringify({ id, ...wanted } satisfies NumberedCall))
    })
  return {
    call,
    /**
     * Stops a double. If the worker does not answer within 4.5 seconds, because its JavaScript does not end, ends the worker with all its
     * doubles. Native code, such as `execSync`, ends first. @throws As `call`.
     */
    stop: async (url: string): Promise<void> => {
      // Tests replace timers, also those of `node:timers`. The timeout of a socket is none of them.
      const deadline = new (builtinModule('node:net').Socket)().setTimeout(stopWithinMs, () => {
        worker[endReason] =
          `${url} did not stop within ${stopWithinMs} ms, because JavaScript in the thread does not end`
        void worker.terminate()
      })
      await call({ stop: url }).finally(() => deadline.destroy())
    },
    /** Keeps the process alive, as a server does. @returns A function that ends this. */
    keepAlive: (): (() => void) => {
      const token = Symbol('running double')
      running.add(token)
      updateRef()
      return () => {
        running.delete(token)
        updateRef()
      }
    },
  }
}

/** The module is the same in every realm of a thread, and for both entries of the package; a test runner may load this file for each test file. */
const place = Symbol.for(workerFile)

const endReason = Symbol.for(`${workerFile} has ended`)

/** The time from the call of `stop()` until the worker is ended, milliseconds. The whole stop takes less than 5 s. */
const stopWithinMs = 4500

interface DoubleWorker extends Worker {
  [endReason]?: string
}

function findOrStartWorker(): DoubleWorker {
  const shared = workerThreads() as { [place]?: DoubleWorker }
  // A thread that has ended has the id -1.
  if (shared[place] && shared[place].threadId !== -1) return shared[place]
  const worker: DoubleWorker = new (workerThreads().Worker)(workerFile, {
    name: 'insights-double',
    // Without the loaders and preloads of the tests, but with the loader of Yarn Plug'n'Play, which finds the packages.
    execArgv: [],
    env: isPlugAndPlay ? environmentWith({}) : environmentWithout('NODE_OPTIONS'),
  })
  // Each realm that uses the worker adds listeners.
  worker.setMaxListeners(0)
  worker.unref()
  Object.defineProperty(shared, place, { value: worker, configurable: true })
  return worker
}
