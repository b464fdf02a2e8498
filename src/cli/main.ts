#!/usr/bin/env node
/** The entry point of the command line: runs a command, and turns an error into a message and an exit code. */
import { ProblemsError } from '../documents/problem.js'
import { DoubleError } from '../errors.js'
import {
  commandLineArguments,
  print,
  printError,
  setExitCode,
  ignoreClosedPipe,
  ignoreFileSizeSignal,
} from '../node-process.js'
import { version } from '../options.js'
import { RunError } from '../pull/run-error.js'
import { exitCodes } from './exit-codes.js'
import type { Command } from './flags.js'
import { helpText, UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { parseArguments } from './parse-arguments.js'
import { escapeControlCharacters } from './request-log.js'

/** Runs each command. Its code is loaded on use, so that `--help` does not wait for the validators. */
const commands: Readonly<Record<Command, (parsed: ParsedArguments) => Promise<void>>> = {
  serve: async (parsed) => (await import('./serve.js')).runServe(parsed),
  check: async (parsed) => (await import('./check.js')).runCheck(parsed),
  explain: async (parsed) => (await import('./explain.js')).runExplain(parsed),
  schema: async (parsed) => (await import('./schema.js')).runSchema(parsed),
  pull: async (parsed) => (await import('./pull.js')).runPull(parsed),
  reset: async (parsed) => (await import('./remote.js')).runReset(parsed),
  state: async (parsed) => (await import('./remote.js')).runState(parsed),
  requests: async (parsed) => (await import('./remote.js')).runRequests(parsed),
}

async function run(): Promise<void> {
  const parsed = parseArguments(commandLineArguments)
  if (parsed.isGiven('help')) print(helpText())
  else if (parsed.isGiven('version')) print(`${version}\n`)
  else await commands[parsed.command](parsed)
}

/** Describes an error for the user. Only an unexpected error has its stack in the text. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  // File errors have some of these codes too.
  const isAddressError = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  if (code === 'EADDRINUSE')
    return `${error.message}. Another process listens on it. Choose another port with --port, or 0 for a free one.`
  if (isAddressError) {
    return `${error.message}. Choose another address with --host and --port.`
  }
  const isExpected = [UsageError, ProblemsError, DoubleError, RunError, TypeError].some((type) => error instanceof type)
  return isExpected || typeof code === 'string' ? error.message : (error.stack ?? error.message)
}

ignoreClosedPipe()
ignoreFileSizeSignal()
try {
  await run()
} catch (error) {
  const lines = describeError(error).split('\n')
  printError(`${lines.map(escapeControlCharacters).join('\n')}\n`)
  setExitCode(exitCodes.failure)
}
