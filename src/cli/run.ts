/** `insights-double run`: starts a double, runs a command with its URL, and stops the double. */
import { constants } from 'node:os'

import { ignoreClosedOutput, onEndSignal, printError, setExitCode } from '../node-process.js'
import { exitCodes } from './exit-codes.js'
import { UsageError } from './flags.js'
import { forkDouble } from './fork-double.js'
import type { ParsedArguments } from './parse-arguments.js'
import type { StartedCommand } from './spawn-command.js'
import { startCommand } from './spawn-command.js'
import { packageManagerExit } from './wait-for-package-manager-end.js'

/** Runs a command against a double. The exit code is that of the command; if that is 0, that of the double. */
export async function runCommand({ commandToRun }: ParsedArguments): Promise<void> {
  const [program, ...words] = commandToRun
  if (program === undefined)
    throw new UsageError('run needs a command after --, such as: insights-double run -- npm test')
  ignoreClosedOutput()
  const orphaned = packageManagerExit()
  const double = forkDouble(2)
  let command: StartedCommand | undefined
  let interruptedBy: NodeJS.Signals | undefined
  const interrupt = (signal: NodeJS.Signals): void => {
    interruptedBy ??= signal
    if (command) command.interrupt(signal)
    else void double.stop()
  }
  onEndSignal(interrupt)
  void orphaned.then(() => interrupt('SIGTERM'))

  const url = await double.ready
  if (interruptedBy) {
    await double.stop()
    setExitCode(exitCodes.signalBase + constants.signals[interruptedBy])
    return
  }
  if (url === undefined) {
    // The double has printed the reason.
    setExitCode(await double.ended)
    return
  }
  command = startCommand(program, words, url)
  if (command.processes) double.guard(command.processes)
  const doubleEnded = double.ended.then(() => undefined)
  const end = await Promise.race([command.ended, doubleEnded])
  if (end === undefined) {
    printError('The double ended unexpectedly, so the command is stopped.\n')
    await command.stop()
    setExitCode(exitCodes.failure)
    return
  }
  if (end.message !== undefined) printError(`${end.message}\n`)
  const doubleCode = await double.stop()
  setExitCode(end.code === exitCodes.success ? doubleCode : end.code)
}
