#!/usr/bin/env node
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
/** The command line: from arguments to a command, and from whatever goes wrong to a message and an exit code. */
import { exitCodes } from './exit-codes.js'
import type { Command } from './flags.js'
import { helpText, UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { parseArguments } from './parse-arguments.js'
import { escapeControlCharacters } from './request-log.js'

/** Each command's code is loaded when it is asked for: the help should not wait for a validator. */
const commands: Readonly<Record<Command, (invocation: ParsedArguments) => Promise<void>>> = {
  serve: async (invocation) => (await import('./serve.js')).runServe(invocation),
  check: async (invocation) => (await import('./check.js')).runCheck(invocation),
  explain: async (invocation) => (await import('./explain.js')).explain(invocation),
  schema: async (invocation) => (await import('./schema.js')).schema(invocation),
  reset: async (invocation) => (await import('./remote.js')).runReset(invocation),
  state: async (invocation) => (await import('./remote.js')).runState(invocation),
  requests: async (invocation) => (await import('./remote.js')).runRequests(invocation),
}

async function run(): Promise<void> {
  const invocation = parseArguments(commandLineArguments)
  if (invocation.isGiven('help')) print(helpText())
  else if (invocation.isGiven('version')) print(`${version}\n`)
  else await commands[invocation.command](invocation)
}

/** What went wrong, for the one who typed the command. A stack is for what should not have happened. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  // Files are refused with such codes too.
  const isAddress = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo')
  if (code === 'EADDRINUSE')
    return `${error.message}. Another process listens there; choose another port with --port, or 0 for a free one.`
  if (isAddress) {
    return `${error.message}. Choose another address with --host and --port.`
  }
  const isExpected = [UsageError, ProblemsError, DoubleError, TypeError].some((kind) => error instanceof kind)
  return isExpected || typeof code === 'string' ? error.message : (error.stack ?? error.message)
}

ignoreClosedPipe()
ignoreFileSizeSignal()
try {
  await run()
} catch (error) {
  const lines = explain(error).split('\n')
  printError(`${lines.map(escapeControlCharacters).join('\n')}\n`)
  setExitCode(exitCodes.unusable)
}
