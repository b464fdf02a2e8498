/** `insights-double run`: passes signals on to the command, and finds its exit code as a shell does. */
import { constants } from 'node:os'

import spawn from 'cross-spawn'

import * as node from '../node-process.js'
import { type CommandEnd, exitCodes, failWithError } from './exit-codes.js'
import { UsageError } from './flags.js'
import { forkDouble } from './fork-double.js'
import type { ParsedArguments } from './parse-arguments.js'
import { endProcesses, packageManagerExit } from './process-tree.js'
import { type SuiteSurroundings, type VaryResult, varySuite } from './vary.js'

/** Runs a command against a double. The exit code is that of the command; if that is 0, that of the double. */
export async function runCommand(parsed: ParsedArguments): Promise<void> {
  const [program, ...words] = parsed.commandToRun
  if (program === undefined)
    throw new UsageError('run needs a command after --, such as: insights-double run -- npm test')
  node.ignoreClosedOutput()
  const orphaned = packageManagerExit()
  const double = forkDouble(2)
  let command: StartedCommand | undefined
  let interruptedBy: NodeJS.Signals | undefined
  const interrupt = (signal: NodeJS.Signals): void => {
    interruptedBy ??= signal
    if (command) command.interrupt(signal)
    else void double.stop()
  }
  node.onSignals(node.endSignals, interrupt)
  void orphaned.then(() => interrupt('SIGTERM'))

  const url = await double.ready
  if (interruptedBy) {
    await double.stop()
    return node.setExitCode(exitCodes.signalBase + constants.signals[interruptedBy])
  }
  // The double has printed the reason.
  if (url === undefined) return node.setExitCode(await double.ended)
  const start = (surroundings?: SuiteSurroundings, rerun?: string): StartedCommand => {
    command = startCommand(rerun ?? program, rerun === undefined ? words : [], url, surroundings)
    if (command.processes) double.send({ command: command.processes })
    return command
  }
  if (parsed.isGiven('vary') || parsed.isGiven('vary-only')) {
    const suite = { url, double, start, isInterrupted: () => interruptedBy !== undefined }
    const result = await varySuite(parsed, suite).catch((error: unknown): VaryResult => {
      failWithError(error)
      return { code: exitCodes.failure }
    })
    const reportCode = await double.stop(result.variations)
    const interrupted = interruptedBy && exitCodes.signalBase + constants.signals[interruptedBy]
    return node.setExitCode(interrupted ?? (result.code || reportCode))
  }
  const { ended, stop } = start()
  const end = await Promise.race([ended, double.ended.then(() => undefined)])
  if (end === undefined) {
    node.printError('The double ended unexpectedly, so the command is stopped.\n')
    await stop()
    return node.setExitCode(exitCodes.failure)
  }
  if (end.message !== undefined) node.printError(`${end.message}\n`)
  const doubleCode = await double.stop()
  node.setExitCode(end.code || doubleCode)
}

/** The time from SIGTERM until SIGKILL when a command is stopped, milliseconds. */
const killAfterMs = 5000

type StartedCommand = ReturnType<typeof startCommand>

/**
 * With a terminal, the command shares the process group of this process: it can read from the terminal, and Ctrl-C reaches it. Without a
 * terminal it gets a separate group, so that signals reach all processes that it started.
 */
export function startCommand(program: string, words: readonly string[], url: string, suite?: SuiteSurroundings) {
  const sharesGroup = (node.hasTerminal() && !suite) || node.isWindows
  const child = spawn(program, [...words], {
    // The output of a suite is read, and it cannot read from the terminal.
    stdio: suite ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: node.environmentWith({ INSIGHTS_DOUBLE_URL: url, ...suite?.variables }),
    detached: !sharesGroup,
    shell: suite?.isForShell === true,
  })
  if (suite) for (const stream of [child.stdout, child.stderr]) stream?.on('data', suite.onOutput)
  // Undefined: it could not be started.
  const processes = child.pid === undefined ? undefined : { pid: child.pid, hasOwnGroup: !sharesGroup }
  let hasEnded = false
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const failure = { code: exitCodes.notExecutable, message: `${program}: cannot be executed (${code ?? message})` }
      resolve(code === 'ENOENT' ? { code: exitCodes.notFound, message: `${program}: command not found` } : failure)
    })
    child.once('exit', (code, signal) => {
      if (!signal) return resolve({ code: code ?? 0 })
      resolve({ code: exitCodes.signalBase + constants.signals[signal], message: `${program} was ended by ${signal}.` })
    })
  }).finally(() => (hasEnded = true))
  const send = (signal: NodeJS.Signals): void => {
    if (!hasEnded && child.pid !== undefined) node.sendSignal(sharesGroup ? child.pid : -child.pid, signal)
  }
  return {
    ended,
    processes,
    interrupt: (signal: NodeJS.Signals): void => {
      // The terminal has sent Ctrl-C to a command of its group too.
      if (suite || !node.hasTerminal() || signal !== 'SIGINT') send(signal)
    },
    /** Ends the command and all processes that it has started. */
    stop: async (): Promise<void> => {
      if (processes) await endProcesses(processes, killAfterMs)
      await ended
    },
  }
}
