/** Starts the command of `insights-double run`, passes signals on to it, and finds its exit code as a shell does. */
import { constants } from 'node:os'

import spawn from 'cross-spawn'

import { environmentWith, hasTerminal, isWindows, sendSignal } from '../node-process.js'
import type { ExitCode } from './exit-codes.js'
import { exitCodes } from './exit-codes.js'
import type { CommandProcesses } from './process-tree.js'
import { endProcesses } from './process-tree.js'

/** The time from SIGTERM until SIGKILL when a command is stopped, milliseconds. */
const killAfterMs = 5000

/** The end of a command, in the form that a shell uses. */
interface CommandEnd {
  /** The exit code. 127 if the command was not found, 126 if it cannot be executed, 128+n if signal n ended it. */
  readonly code: ExitCode
  /** The reason why it has no exit code. */
  readonly message?: string
}

/** A command that was started. */
export interface StartedCommand {
  readonly ended: Promise<CommandEnd>
  /** Its processes. Undefined if it could not be started. */
  readonly processes: CommandProcesses | undefined
  /** Passes on a signal that this process received. */
  interrupt(signal: NodeJS.Signals): void
  /** Ends the command and all processes that it has started: with SIGTERM, after 5 seconds with SIGKILL. */
  stop(): Promise<void>
}

/**
 * Starts a command with the URL of a double.
 *
 * With a terminal, the command shares the process group of this process: it can read from the terminal, and Ctrl-C reaches it. Without a
 * terminal it gets a separate group, so that signals reach all processes that it started.
 */
export function startCommand(program: string, words: readonly string[], url: string): StartedCommand {
  const sharesGroup = hasTerminal || isWindows
  const child = spawn(program, [...words], {
    stdio: 'inherit',
    env: environmentWith({ INSIGHTS_DOUBLE_URL: url }),
    detached: !sharesGroup,
  })
  const processes = child.pid === undefined ? undefined : { pid: child.pid, hasOwnGroup: !sharesGroup }
  let hasEnded = false
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(startFailure(program, error)))
    child.once('exit', (code, signal) => resolve(signal ? signalled(program, signal) : { code: code ?? 0 }))
  }).finally(() => (hasEnded = true))
  const send = (signal: NodeJS.Signals): void => {
    if (!hasEnded && child.pid !== undefined) sendSignal(sharesGroup ? child.pid : -child.pid, signal)
  }
  return {
    ended,
    processes,
    interrupt: (signal) => {
      // The terminal has sent Ctrl-C to the command too.
      if (!(hasTerminal && signal === 'SIGINT')) send(signal)
    },
    stop: async () => {
      if (processes) await endProcesses(processes, killAfterMs)
      await ended
    },
  }
}

function startFailure(program: string, { code, message }: NodeJS.ErrnoException): CommandEnd {
  return code === 'ENOENT'
    ? { code: exitCodes.notFound, message: `${program}: command not found` }
    : { code: exitCodes.notExecutable, message: `${program}: cannot be executed (${code ?? message})` }
}

const signalled = (program: string, signal: NodeJS.Signals): CommandEnd => ({
  code: exitCodes.signalBase + constants.signals[signal],
  message: `${program} was ended by ${signal}.`,
})
