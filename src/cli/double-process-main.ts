/**
 * The process of a double that `run`, or `serve` with handlers, starts. It stops at a message, and when the command that started it has ended.
 *
 * It is a separate process: the command can end it if a handler does not end, it stops in order when the command is killed, and `run` can
 * stop its own command when the double dies.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import * as node from '../node-process.js'
import { watchdogFile } from '../package-files.js'
import { failWithError } from './exit-codes.js'
import type { DoubleProcessMessage } from './fork-double.js'
import { parseArguments } from './parse-arguments.js'
import { serveDouble, type ServedDouble } from './serve.js'
import type { WatchdogMessage } from './watchdog.js'

async function serveUntilStopped(): Promise<void> {
  const env = node.environmentWithout('NODE_OPTIONS')
  const watchdog = new Worker(watchdogFile, { workerData: node.parentPidAtStart, execArgv: [], env })
  watchdog.unref()
  const tell = (message: WatchdogMessage): void => watchdog.postMessage(message, [])
  let isOrphaned = false
  let double: ServedDouble | undefined
  const stopped = new Promise<DoubleProcessMessage>((resolve) => {
    node.onParentMessageOrEnd((message) => {
      const sent = (message ?? {}) as DoubleProcessMessage
      if (sent.isBaselineOver) return double?.endBaseline()
      if (sent.command) return tell(sent.command)
      // Without a message, the parent process has ended. This process must not end before the watchdog has ended the command.
      if (message === undefined) {
        isOrphaned = true
        watchdog.ref()
      }
      resolve(sent)
    })
  })
  double = await serveDouble(parseArguments(node.commandLineArguments()))
  node.sendToParent({ url: double.url })
  const { variations } = await stopped
  node.setExitCode(await double.stop(variations))
  if (isOrphaned) {
    tell('stopped')
    await once(watchdog, 'exit')
  }
}

// Ctrl-C reaches this process too. The command may still send requests while it ends, so the command that started this decides when to stop.
node.onSignals(node.endSignals, () => {})
node.ignoreClosedOutput()
node.ignoreFileSizeSignal()
await serveUntilStopped().catch(failWithError)
// What a handler has started, such as a timer, would keep this process.
node.exitNow()
