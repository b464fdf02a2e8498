/** Turns an error of a command into a message and an exit code. */
import { describeAddressError } from '../addresses.js'
import { ProblemsError } from '../documents/problem.js'
import { DoubleError } from '../http-errors.js'
import { printError, setExitCode } from '../node-process.js'
import { RunError } from '../pull/run-error.js'
import { exitCodes } from './exit-codes.js'
import { UsageError } from './flags.js'

/** Prints an error, and sets the exit code 2. */
export function failWithError(error: unknown): void {
  printError(`${describeError(error)}\n`)
  setExitCode(exitCodes.failure)
}

/** Describes an error for the user. Only an unexpected error has its stack in the text. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  const addressError = describeAddressError(error, '--port', '--host')
  if (addressError !== undefined) return addressError
  const isExpected = [UsageError, ProblemsError, DoubleError, RunError, TypeError].some((type) => error instanceof type)
  return isExpected || typeof code === 'string' ? error.message : (error.stack ?? error.message)
}
