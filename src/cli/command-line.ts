import { commandLineArguments, ignoreClosedPipe, ignoreFileSizeSignal, print } from '../node-process.js'
import { readVersion } from '../package-files.js'
import { failWithError } from './exit-codes.js'
import { type Command, helpText } from './flags.js'
import { parseArguments, type ParsedArguments } from './parse-arguments.js'

/** Runs each command. Its code is loaded on use, so that `--help` does not wait for the validators. */
const commands: Readonly<Record<Command, (parsed: ParsedArguments) => Promise<void>>> = {
  serve: async (parsed) => (await import('./serve.js')).runServe(parsed),
  run: async (parsed) => (await import('./run.js')).runCommand(parsed),
  check: async (parsed) => (await import('./check.js')).runCheck(parsed),
  explain: async (parsed) => (await import('./explain.js')).runExplain(parsed),
  schema: async (parsed) => (await import('./explain.js')).runSchema(parsed),
  fixture: async (parsed) => (await import('./explain.js')).runFixture(parsed),
  verify: async (parsed) => (await import('./verify.js')).runVerify(parsed),
  pull: async (parsed) => (await import('./pull.js')).runPull(parsed),
  reset: async (parsed) => (await import('./remote-commands.js')).runReset(parsed),
  state: async (parsed) => (await import('./remote-commands.js')).runState(parsed),
  requests: async (parsed) => (await import('./remote-commands.js')).runRequests(parsed),
}

async function run(): Promise<void> {
  const parsed = parseArguments(commandLineArguments())
  if (parsed.isGiven('help')) print(helpText(parsed.isCommandGiven ? parsed.command : undefined))
  else if (parsed.isGiven('version')) print(`${readVersion()}\n`)
  else await commands[parsed.command](parsed)
}

ignoreClosedPipe()
ignoreFileSizeSignal()
await run().catch(failWithError)
