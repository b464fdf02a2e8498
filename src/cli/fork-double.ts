import { fork } from 'node:child_process'

import { commandLineArguments, printError } from '../node-process.js'
import { doubleProcessFile } from '../package-files.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import type { CommandProcesses } from './process-tree.js'
import type { VariedUnit } from './report/run-report.js'

/** The time from the request to stop until SIGKILL, milliseconds. The whole stop takes less than 5 s. */
const killAfterMs = 4500

/** A message to the process of a double. Without `command` and `isBaselineOver`: stop. */
export interface DoubleProcessMessage {
  /** The command that it ends when its parent process is killed. */
  readonly command?: CommandProcesses
  /** True if requests from now on do not count in the report. */
  readonly isBaselineOver?: true
  readonly variations?: readonly VariedUnit[] | undefined
}

export type ForkedDouble = ReturnType<typeof forkDouble>

/** Starts a double with the arguments of this process. @param output - The file descriptor of its standard output. */
export function forkDouble(output: 1 | 2) {
  const child = fork(doubleProcessFile, commandLineArguments(), { stdio: ['ignore', output, 2, 'ipc'] })
  const ended = new Promise<ExitCode>((resolve) => {
    child.once('exit', (code) => resolve(code ?? exitCodes.failure))
  })
  // Undefined: it has ended before it was ready.
  const ready = new Promise<string | undefined>((resolve) => {
    child.once('message', (message: { readonly url: string }) => resolve(message.url))
    void ended.then(() => resolve(undefined))
  })
  // The channel is closed if the double has ended.
  const send = (message: DoubleProcessMessage): void => void (child.connected && child.send(message, () => {}))
  return {
    ready,
    ended,
    send,
    /** Stops the double, within 5 seconds. @param variations - For the report. */
    stop: async (variations?: readonly VariedUnit[]): Promise<ExitCode> => {
      send({ variations })
      const timer = setTimeout(() => {
        const why = 'because its JavaScript does not end. It was killed.'
        printError(`The double did not stop within ${killAfterMs} ms, ${why}\n`)
        child.kill('SIGKILL')
      }, killAfterMs)
      const code = await ended
      clearTimeout(timer)
      return code
    },
  }
}
