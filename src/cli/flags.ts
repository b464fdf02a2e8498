/** The flags: one table that is parsed by, shown by `--help`, and checked against the README. */
import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'

import { reasonOf } from '../reason.js'

type ParseArgsOptionsConfig = NonNullable<ParseArgsConfig['options']>

/** The commands. */
const commands = ['serve', 'check', 'reset', 'state', 'requests'] as const

/** A command. */
export type Command = (typeof commands)[number]

/** A flag as the help shows it. */
interface Flag {
  /** One letter. */
  readonly short?: string
  /** What its value is. Undefined: it has none. */
  readonly value?: string
  /** Whether it may be given several times. */
  readonly multiple?: boolean
  readonly help: string
  readonly commands: readonly Command[]
}

const serve: readonly Command[] = ['serve']
const ask: readonly Command[] = ['reset', 'state', 'requests']

/** All flags, in the order of the help. */
const flags = {
  port: {
    short: 'p',
    value: 'number',
    help: 'port to listen on; 0 picks a free one (4010, or env PORT)',
    commands: serve,
  },
  host: { value: 'address', help: 'address to listen on (127.0.0.1)', commands: serve },
  fixture: { short: 'f', value: 'name|path', help: 'fixture to begin with (default)', commands: serve },
  fixtures: { value: 'folder', help: 'folder of fixtures (those of the package)', commands: ['serve', 'check'] },
  state: { value: 'file', help: 'file that keeps the state (.insights-double/state.json)', commands: serve },
  memory: { help: 'keep the state in memory, in no file', commands: serve },
  fresh: { help: 'begin anew although there is a state file', commands: serve },
  spec: { value: 'file', help: 'contract of the service (that of the package)', commands: ['serve', 'check'] },
  strict: { help: 'refuse a contract that is not enforced as a whole', commands: ['serve', 'check'] },
  delay: { value: 'ms', help: 'wait before each reply, 0 to 60000 (0)', commands: serve },
  watch: { help: 'take over the spec or the fixture when it changes', commands: serve },
  'fail-on-violation': { help: 'exit with 3 if the contract was broken', commands: serve },
  report: { value: 'file', help: 'write violations and coverage at the end, to a .json or .md file', commands: serve },
  log: { value: 'pretty|json|silent', help: 'how to log requests (pretty)', commands: serve },
  'admin-token': {
    value: 'token',
    help: 'bearer token of the control plane; demanded for a host beyond loopback',
    commands: [...serve, ...ask],
  },
  'allowed-host': {
    value: 'name',
    multiple: true,
    help: 'host name the control plane answers to; may be repeated',
    commands: serve,
  },
  'admin-origin': {
    value: 'origin',
    multiple: true,
    help: 'origin that may use the control plane; may be repeated',
    commands: serve,
  },
  'max-sandboxes': { value: 'number', help: 'sandboxes there may be (1000)', commands: serve },
  'sandbox-idle': { value: 'ms', help: 'drop a sandbox that is idle for so long (3600000)', commands: serve },
  url: { value: 'url', help: 'double to talk to (http://127.0.0.1:4010, or env INSIGHTS_DOUBLE_URL)', commands: ask },
  out: { value: 'file', help: 'write the state to a file', commands: ['state'] },
  operation: { value: 'operationId', help: 'only requests to this operation', commands: ['requests'] },
  status: { value: 'number', help: 'only requests answered with this status', commands: ['requests'] },
  caller: { value: 'name', help: 'only requests of this caller', commands: ['requests'] },
  verdict: { value: 'ok|violation', help: 'only requests with this verdict', commands: ['requests'] },
  help: { short: 'h', help: 'show this help', commands },
  version: { short: 'v', help: 'show the version', commands },
} satisfies Record<string, Flag>

/** The name of a flag. */
type FlagName = keyof typeof flags

/** A command line that makes no sense. The message says what is wrong and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A command line that makes sense. */
export interface Invocation {
  readonly command: Command
  /** What follows the command and is no flag. */
  readonly operands: readonly string[]
  /** Whether a flag that takes no value was given. */
  isGiven(flag: FlagName): boolean
  /** The value of a flag, the last where it was given several times. */
  valueOf(flag: FlagName): string | undefined
  /** All values of a flag. */
  valuesOf(flag: FlagName): readonly string[]
  /** A flag's value as an integer. @throws {UsageError} It is none, or out of bounds. */
  integerOf(flag: FlagName, least: number, most: number): number | undefined
}

/**
 * Reads a command line.
 *
 * @throws {UsageError}
 */
export function readInvocation(words: readonly string[]): Invocation {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries<Flag>(flags).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  )
  const { positionals, values } = parse(words, options)
  const [first, ...rest] = positionals
  const command = commands.find((known) => known === first) ?? (first === undefined ? 'serve' : undefined)
  if (command === undefined) throw new UsageError(`There is no command "${first ?? ''}"; use ${commands.join(', ')}.`)
  const given = new Map(Object.entries(values).map(([name, value]) => [name, [value].flat().map(String)]))
  refuseStrangers(command, [...given.keys()], rest)
  const valuesOf = (flag: FlagName): readonly string[] => given.get(flag) ?? []
  return {
    command,
    operands: rest,
    isGiven: (flag) => given.has(flag),
    valueOf: (flag) => valuesOf(flag).at(-1),
    valuesOf,
    integerOf: (flag, least, most) => integer(`--${flag}`, valuesOf(flag).at(-1), least, most),
  }
}

/** Reads an integer. @throws {UsageError} It is none, or out of bounds. */
export function integer(name: string, value: string | undefined, least: number, most: number): number | undefined {
  if (value === undefined) return undefined
  const number = /^\d+$/u.test(value) ? Number(value) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${name} must be an integer from ${least} to ${most}, got "${value}".`)
}

function parse(words: readonly string[], options: ParseArgsOptionsConfig): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    const [sentence = ''] = reasonOf(error).split(/\. |\n/u)
    throw new UsageError(`${sentence.replace(/\.$/u, '')}. See insights-double --help.`)
  }
}

function refuseStrangers(command: Command, names: readonly string[], operands: readonly string[]): void {
  for (const [name, { commands: known }] of Object.entries<Flag>(flags)) {
    if (names.includes(name) && !known.includes(command)) {
      throw new UsageError(`--${name} is a flag of ${known.join(', ')}, not of ${command}. See insights-double --help.`)
    }
  }
  const most = { serve: 0, check: Infinity, reset: 1, state: 0, requests: 0 }[command]
  if (operands.length > most)
    throw new UsageError(`${command} does not take "${operands[most] ?? ''}". See insights-double --help.`)
}

/** What `--help` prints. */
export function helpText(): string {
  const describe: Readonly<Record<Command, string>> = {
    serve: 'serve the service (what happens without a command)',
    check: '[files…]  check spec and fixtures, print every problem',
    reset: '[fixture]  set a running double back',
    state: 'print the state of a running double, as a fixture',
    requests: 'print what a running double was asked',
  }
  const lines = commands.flatMap((command) => {
    const own = Object.entries<Flag>(flags).filter(
      ([name, flag]) => flag.commands.includes(command) && name !== 'help' && name !== 'version',
    )
    const shown = own.map(([name, { help, short, value }]) => {
      const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`
      return `      ${left.padEnd(34)}${help}`
    })
    return ['', `  insights-double ${command === 'serve' ? '[serve]' : command}  ${describe[command]}`, ...shown]
  })
  return [
    'A stand-in for the Insights service: real state, every request and every reply checked against the contract.',
    ...lines,
    '',
    'Exit codes: 0 done, 1 checked and found wrong, 2 wrong usage or could not start, 3 stopped with violations.',
    '',
  ].join('\n')
}
