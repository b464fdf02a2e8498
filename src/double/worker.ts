/** The worker thread: runs doubles, and sends the requests of handles. It gets only messages from the thread of the test. */
import { connect } from 'node:net'
import { type MessagePort, parentPort } from 'node:worker_threads'

import { sendOverHttp } from '../client/send-over-http.js'
import { type NumberedCall, serializeError, type WorkerAnswer, type WorkerCall } from '../client/worker-messages.js'
import { formatProblems } from '../documents/problem.js'
import { describeFailure } from '../error-message.js'
import { enableCompileCache, environmentVariable, printError } from '../node-process.js'
import type { DoubleOptions } from '../options.js'
import type { Double } from './start-in-this-thread.js'

/** Answers the calls of one realm. When its port closes, its doubles stop. */
function serve(port: MessagePort): void {
  const doubles = new Map<string, Double>()
  const stop = async (url: string): Promise<void> => {
    const double = doubles.get(url)
    doubles.delete(url)
    await double?.stop()
  }
  const answer = async ({ send, start, stop: url }: WorkerCall): Promise<unknown> => {
    if (send) return sendOverHttp(send)
    if (url !== undefined) return stop(url)
    const double = await startDouble(start ?? {})
    doubles.set(double.url, double)
    return double.url
  }
  const respond = async ({ id, ...call }: NumberedCall): Promise<void> => {
    const message = await answer(call).then(
      (result): WorkerAnswer => ({ id, result }),
      (error: unknown): WorkerAnswer => ({ id, failure: serializeError(error) }),
    )
    port.postMessage(JSON.stringify(message))
  }
  port.on('message', (text: string) => void respond(JSON.parse(text) as NumberedCall))
  port.once('close', () => void Promise.allSettled([...doubles.keys()].map(stop)))
}

async function startDouble(options: DoubleOptions): Promise<Double> {
  // Loaded on first use: a handle of `connectDouble` needs no double.
  const { startInThisThread } = await import('./start-in-this-thread.js')
  let said = ''
  const double = await startInThisThread({
    ...options,
    onFailure: (id, error) => {
      const text = describeFailure(error)
      // `verify` sends the same request in many ways.
      if (text !== said) printError(`${id}  ${text}\n`)
      said = text
    },
    onReload: (file, problem, undone, effect) => {
      if (problem) printError(`${problem.message}\n`)
      else if (undone > 0) printError(`${file} ${effect}\n`)
    },
  })
  for (const line of formatProblems(double.lockProblems)) printError(`${line}\n`)
  varyAsAsked(double)
  return double
}

/** Varies a double of a suite that `run --vary` runs, and tells it what could be varied. */
function varyAsAsked({ root: { variations } }: Double): void {
  const asked = environmentVariable('INSIGHTS_DOUBLE_VARY')
  if (asked === undefined) return
  const { socket: path, units } = JSON.parse(asked) as { readonly socket: string; readonly units: readonly string[] }
  const socket = connect(path).on('error', () => {})
  variations.set(units)
  variations.onSeen = (unit) =>
    setImmediate(() => {
      const seen = variations.summarize(unit)
      if (seen) socket.write(`${JSON.stringify(seen)}\n`)
    })
}

enableCompileCache()
parentPort?.on('message', serve)
