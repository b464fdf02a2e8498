/** Starts the process of the double that `insights-double run` uses, and stops it. */
import { fork } from 'node:child_process'

import { commandLineArguments } from '../node-process.js'
import { doubleProcessFile } from '../package-files.js'
import type { ExitCode } from './exit-codes.js'
import { exitCodes } from './exit-codes.js'

/** A double in a separate process. */
interface ForkedDouble {
  /** The URL of the double, when it is ready. Undefined if it ended before. */
  readonly ready: Promise<string | undefined>
  /** The exit code of the process. */
  readonly ended: Promise<ExitCode>
  /** Stops the double. @returns The exit code of the process. */
  stop(): Promise<ExitCode>
}

/** Starts a double with the arguments of this process. Its output goes to standard error. */
export function forkDouble(): ForkedDouble {
  const child = fork(doubleProcessFile, commandLineArguments(), {
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ended = new Promise<ExitCode>((resolve) => {
    child.once('exit', (code) => resolve(code ?? exitCodes.failure))
  })
  const ready = new Promise<string | undefined>((resolve) => {
    child.once('message', (message: { readonly url: string }) => resolve(message.url))
    void ended.then(() => resolve(undefined))
  })
  return {
    ready,
    ended,
    stop: () => {
      // The channel is closed if the double has ended.
      if (child.connected) child.send({ stop: true }, () => {})
      return ended
    },
  }
}
