import { describeAddressError } from '../addresses.js'
import { ProblemsError } from '../documents/problem.js'
import { DoubleError } from '../http-errors.js'
import { printError, setExitCode } from '../node-process.js'
import { RunError } from '../pull/service-client.js'
import { UsageError } from './flags.js'

export const exitCodes = {
  success: 0,
  /** `check` found problems. */
  problems: 1,
  /** The usage was wrong, or the command failed. */
  failure: 2,
  /** There were violations, with `--fail-on-violation`. */
  violations: 3,
  /** The coverage was less than `--min-coverage`. */
  coverage: 4,
  /** `run --vary` found variations that the suite does not survive. */
  variations: 5,
  /** The command of `run` cannot be executed. Shells use this code and the next two in the same way. */
  notExecutable: 126,
  notFound: 127,
  /** Added to the number of the signal that ended the command of `run`. */
  signalBase: 128,
  /** A second signal ended the process before it had stopped. */
  forced: 130,
} as const

/** An exit code of the process: one of `exitCodes`, or that of the command of `run`. An integer from 0 to 255. */
export type ExitCode = number

export interface CommandEnd {
  /** The exit code. 127 if the command was not found, 126 if it cannot be executed, 128+n if signal n ended it. */
  readonly code: ExitCode
  readonly message?: string
}

export function failWithError(error: unknown): void {
  printError(`${describeError(error)}\n`)
  setExitCode(exitCodes.failure)
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  const addressError = describeAddressError(error, '--port', '--host')
  if (addressError !== undefined) return addressError
  const isExpected = [UsageError, ProblemsError, DoubleError, RunError, TypeError].some((type) => error instanceof type)
  return isExpected || typeof code === 'string' ? error.message : (error.stack ?? error.message)
}
