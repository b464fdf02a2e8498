/** The table of flags. The parser and `--help` use it, and a test compares `docs/command-line.md` with it. */
import { describeOption, doubleOptions, type OptionDefinition, type OptionName } from '../options.js'
import type { OptionRule } from '../validate-options.js'
import { logFormats } from './terminal.js'

/** A command: its help, and the number of arguments that are not flags. */
export interface CommandDefinition {
  readonly help: string
  readonly most: number
  /** The place of the contract among the arguments, from 0. Undefined: none of them is the contract. */
  readonly contractAt?: number
}

export const commandTable = {
  serve: { help: '[contract]  start the double (the default command)', most: 1, contractAt: 0 },
  run: {
    help: '[contract] [flags of serve] -- <command…>  start a double on a free port, in memory, run a command, stop the double',
    most: 1,
    contractAt: 0,
  },
  check: { help: '[files…]  check contracts and fixtures, print all problems', most: Infinity },
  explain: { help: '[contract]  print the role of each operation, and the reason', most: 1, contractAt: 0 },
  schema: { help: '[contract]  print the JSON Schema of fixtures for a contract', most: 1, contractAt: 0 },
  fixture: {
    help: '[contract]  print a fixture with the records of the examples of a contract, and generated ones',
    most: 1,
    contractAt: 0,
  },
  verify: { help: '<url> [contract]  compare the double with a real service', most: 2, contractAt: 1 },
  pull: { help: '<url> [contract]  make a fixture from the state of a real service', most: 2, contractAt: 1 },
  reset: { help: '[fixture]  reset a running double', most: 1 },
  state: { help: 'print the state of a running double, as a fixture', most: 0 },
  requests: { help: 'print the requests that a running double has received', most: 0 },
} satisfies Record<string, CommandDefinition>

export type Command = keyof typeof commandTable

export const commands = Object.keys(commandTable) as readonly Command[]

export interface Flag {
  readonly short?: string
  /** The name of its value in the help. Undefined: it takes no value. */
  readonly value?: string
  readonly option?: OptionName
  /** The values that a flag without a value may have after `=`. Default: none. */
  readonly words?: readonly string[]
  /** The rule of its value. Default: any text that is not empty. */
  readonly rule?: OptionRule
  /** True if it may be repeated, which the help says. Default false. */
  readonly multiple?: boolean
  readonly help: string
  readonly commands: readonly Command[]
}

const serve: readonly Command[] = ['serve']
const run: readonly Command[] = ['run']
const verify: readonly Command[] = ['verify']
const pull: readonly Command[] = ['pull']
const remote: readonly Command[] = ['reset', 'state', 'requests']
/** Those that send an admin token, or take one. */
const controlled: readonly Command[] = [...serve, ...remote]
const real: readonly Command[] = ['verify', 'pull']
const local: readonly Command[] = ['serve', 'check', 'explain', 'schema', 'fixture']
const ofContract: readonly Command[] = [...local, ...real]

const unitNames = { milliseconds: 'ms', bytes: 'bytes' } as const

/** @param own - The properties that the option's definition lacks. `defaultText` replaces the option's default in the help. */
function optionFlag(name: OptionName, { defaultText, ...own }: Partial<Flag> & { defaultText?: string } = {}): Flag {
  const option: OptionDefinition = doubleOptions[name]
  const shownDefault = defaultText ?? option.defaultText ?? option.default
  const isShown = option.type !== 'boolean' && shownDefault !== undefined
  return {
    ...(option.type === 'integer' && { value: option.unit ? unitNames[option.unit] : 'number', rule: option }),
    ...(option.item && { rule: { type: option.item } }),
    option: name,
    multiple: option.type === 'strings',
    help: `${describeOption(option)}${isShown ? ` (${shownDefault})` : ''}`,
    commands: serve,
    ...own,
  }
}

/** Of `pull` and `verify`: requests a second, the bytes of all responses, milliseconds; the requests of `pull`; and of `run --vary`. */
export const limitDefaults = { pace: 5, bytes: 256 * 1024 * 1024, ms: 600_000, requests: 10_000, runs: 60, minutes: 30 }

const integer = (least: number, most: number): OptionRule => ({ type: 'integer', least, most })

const text = (value: string, help: string, takenBy: readonly Command[], more?: Partial<Flag>): Flag => {
  return { value, help, commands: takenBy, ...more }
}

const list = (value: string, help: string, takenBy: readonly Command[], more?: Partial<Flag>): Flag =>
  text(value, help, takenBy, { ...more, multiple: true })

const limit = (value: string, most: number, byDefault: number, help: string, takenBy = real): Flag =>
  text(value, `${help}; 1 to ${most} (${byDefault})`, takenBy, { rule: integer(1, most) })

/** All flags, in the order of the help. */
export const flags = {
  port: optionFlag('port', { short: 'p', defaultText: '4010, or env PORT' }),
  host: optionFlag('host', { value: 'address' }),
  fixture: optionFlag('fixture', { short: 'f', value: 'name|path' }),
  fixtures: optionFlag('fixtures', { value: 'folder', commands: ['serve', 'check'] }),
  records: optionFlag('records', { commands: ['serve', 'fixture'] }),
  seed: optionFlag('seed', { commands: ['serve', 'fixture'] }),
  state: optionFlag('state', {
    value: 'file',
    defaultText: '.insights-double/state.json, or <name>-<hash of its path>.json for each contract',
  }),
  memory: { help: 'keep the state in memory, not in a file', commands: serve },
  fresh: optionFlag('fresh'),
  spec: optionFlag('spec', { value: 'file|folder|url', commands: ofContract }),
  'spec-root': optionFlag('specRoot', { value: 'folder', commands: ofContract }),
  'spec-header': optionFlag('specHeaders', { value: 'name: env:VAR', commands: ofContract }),
  overlay: optionFlag('overlay', { value: 'file', commands: ofContract }),
  'lock-file': optionFlag('lockFile', { value: 'file', commands: ['serve', 'check', 'explain'] }),
  lock: { help: 'write the roles and effects to the lock, in place of printing them', commands: ['explain'] },
  suggest: { help: 'print an OpenAPI Overlay that makes more operations stateful', commands: ['explain'] },
  handlers: optionFlag('handlers', { value: 'file', commands: [...local, ...verify] }),
  'handler-timeout': optionFlag('handlerTimeoutMs'),
  json: { help: 'print JSON', commands: ['check', 'explain', 'requests'] },
  strict: optionFlag('strict', { commands: ['serve', 'check'] }),
  now: optionFlag('now', { value: 'date-time', rule: doubleOptions.now, commands: ['serve', 'fixture'] }),
  delay: optionFlag('delayMs'),
  watch: optionFlag('watch'),
  'fail-on-violation': { help: 'exit with 3 after a violation of the contract', commands: serve },
  report: text(
    'file',
    'write the report at the end, to a .json, .md or .xml (JUnit) file; also to .html, which shows the requests of each test, except for verify',
    [...serve, 'verify'],
  ),
  'min-coverage': text('percent', 'exit with 4 if the coverage of the documented statuses is lower', run, {
    rule: integer(0, 100),
  }),
  vary: {
    words: ['all'],
    help: 'find legal variations of responses that the tests do not survive, and exit with 5; --vary=all also leaves out properties',
    commands: run,
  },
  'vary-only': list('unit', 'only this variation or kind', run),
  'vary-except': list('unit|@file', 'without this variation or kind, or those in the lines of a file', run),
  'max-runs': limit('number', 10_000, limitDefaults.runs, 'maximum number of runs with variations', run),
  'max-minutes': limit('minutes', 1440, limitDefaults.minutes, 'maximum time of all runs', run),
  'vary-rerun': text(
    'command',
    'command of the shell that runs only {files}, the test files that failed, while the search narrows',
    run,
  ),
  log: text(logFormats.join('|'), 'how to log requests (pretty)', serve, {
    rule: { type: 'string', oneOf: logFormats },
  }),
  'admin-token': optionFlag('adminToken', { value: 'token', commands: controlled }),
  'admin-token-file': text('file', 'file with the admin token (or env INSIGHTS_DOUBLE_ADMIN_TOKEN)', controlled),
  'allowed-host': optionFlag('allowedHosts', { value: 'name' }),
  'admin-origin': optionFlag('adminOrigins', { value: 'origin' }),
  'journal-entries': optionFlag('journalEntries'),
  'journal-bytes': optionFlag('journalBytes'),
  'max-sandboxes': optionFlag('maxSandboxes'),
  'sandbox-idle': optionFlag('sandboxIdleMs'),
  'kept-sandboxes': optionFlag('keptSandboxes'),
  'fixtures-writable': optionFlag('fixturesWritable'),
  url: text('url', 'URL of the double (http://127.0.0.1:4010, or env INSIGHTS_DOUBLE_URL)', remote),
  out: { value: 'file', help: 'write the state to a file, instead of printing it', commands: ['state', 'pull'] },
  force: { help: 'replace an existing file, but never one that the command reads', commands: real },
  partial: { help: 'write a state that seems to be incomplete', commands: pull },
  sanitise: { help: 'replace every value by a stand-in, except booleans, nulls and values of enums', commands: pull },
  keep: list('property|pointer', 'an exception of --sanitise: a property, or a pointer such as /plants/*/tag', pull),
  header: list('name: env:VAR', 'header of every request, its value in an environment variable', real),
  pace: limit('number', 10_000, limitDefaults.pace, 'maximum number of requests per second'),
  may: list(
    'operation[=id,…]',
    'permit an operation that changes the service: on made-up ids, and on the named records',
    verify,
  ),
  value: list(
    'parameter=value',
    'a value of a parameter that no listing and no example gives, or of verify for a property of bodies that are refused',
    real,
  ),
  only: text('name', 'verify only the probe or the operation of this name', verify),
  from: text(
    'file',
    'compare the requests of a journal, a report of run (.json), a HAR file or commands of curl',
    verify,
  ),
  'max-requests': text(
    'number',
    `maximum number of requests, of verify only those of probes; 1 to 100000 (300 of verify, ${limitDefaults.requests} of pull)`,
    real,
    { rule: integer(1, 100_000) },
  ),
  'max-bytes': limit('bytes', 2 ** 40, limitDefaults.bytes, 'maximum size of all responses together'),
  'max-time': limit('ms', 86_400_000, limitDefaults.ms, 'maximum time of the run'),
  record: text('folder', 'keep what was asked and answered as evidence', verify),
  unsanitised: { help: 'keep personal data in the evidence of --record', commands: verify },
  evidence: text(
    'folder',
    'verify: compare with this evidence, or with a url say what has changed since; run: say which responses of each test rest on it',
    ['run', 'verify'],
  ),
  'max-age': text('days', 'warn of evidence that is older, such as 30d', verify),
  'expect-drift': list('operationId', 'an operation whose differences are listed and fail nothing', verify),
  apply: text(
    'file',
    'write the edits that would make the double agree to an OpenAPI Overlay, which is extended if it exists',
    verify,
  ),
  insecure: { help: 'send tokens over http to another machine', commands: real },
  plan: { help: 'print the requests, send none', commands: real },
  caller: list('name=env:VAR', 'a caller, and the environment variable of its token', real),
  help: { short: 'h', help: 'show this help', commands },
  version: { short: 'v', help: 'show the version', commands },
} satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** An invalid command line. The message names the error and the correction. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Returns the commands that take a flag. `run` takes the flags of `serve` too. */
export const commandsOf = ({ commands: own }: Flag): readonly Command[] =>
  own.includes('serve') ? commands.filter((command) => command === 'run' || own.includes(command)) : own

const exitCodesOfRun =
  'run exits with the code of the command if that is not 0: 127 not found, 126 not executable, 128+n ended by signal n.'

/** Creates the text of `--help`. @param only - The command that it is about. Default: all. */
export function helpText(only?: Command): string {
  const shown = only === undefined ? commands : [only]
  const lines = shown.flatMap((command) => {
    const flagLines = Object.entries<Flag>(flags).flatMap(([name, flag]) => {
      const { short } = flag
      const its = only === undefined ? flag.commands : commandsOf(flag)
      if (!its.includes(command) || name === 'help' || name === 'version') return []
      const { help, multiple, value } = flag
      const usage = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`
      return `      ${usage.padEnd(36)}${help}${multiple ? '; may be repeated' : ''}`
    })
    return [
      '',
      `  insights-double ${command === 'serve' ? '[serve]' : command}  ${commandTable[command].help}`,
      ...flagLines,
    ]
  })
  return [
    'A test double for a service. It keeps real state, and validates every request and response against the contract.',
    ...lines,
    '',
    'Exit codes: 0 success, 1 problems or differences found, 2 usage error or failed start, 3 violations, 4 coverage too low, 5 variations found.',
    ...(shown.includes('run') ? [exitCodesOfRun] : []),
    '',
  ].join('\n')
}
