/** The flags: one table that the command line is read by, that `--help` shows, and that the README is checked against. */
import { filterOptions } from '../client/handle-options.js'
import type { OptionDefinition, OptionName } from '../options.js'
import { describeOption, doubleOptions } from '../options.js'
import type { OptionRule } from '../validate-options.js'
import { logFormats } from './request-log.js'

/** The commands. */
export const commands = ['serve', 'check', 'explain', 'schema', 'reset', 'state', 'requests'] as const

/** A command. */
export type Command = (typeof commands)[number]

/** A flag as it is read, and as the help shows it. */
export interface Flag {
  /** One letter. */
  readonly short?: string
  /** What its value is. Undefined: it has none. */
  readonly value?: string
  /** What its value may be, once it is read as the type of the rule. Default: any text that is not empty. */
  readonly rule?: OptionRule
  /** Whether it may be given several times. */
  readonly multiple?: boolean
  readonly help: string
  readonly commands: readonly Command[]
}

const serve: readonly Command[] = ['serve']
const remote: readonly Command[] = ['reset', 'state', 'requests']

/**
 * Creates the flag of an option of a double.
 *
 * @param own - What the option's definition does not say. `defaultText` replaces the option's default in the help.
 */
function optionFlag(name: OptionName, { defaultText, ...own }: Partial<Flag> & { defaultText?: string } = {}): Flag {
  const option: OptionDefinition = doubleOptions[name]
  const shownDefault = defaultText ?? option.defaultText ?? option.default
  const isRepeatable = option.type === 'strings'
  const isShown = option.type !== 'boolean' && shownDefault !== undefined
  return {
    ...(option.type === 'integer' ? { value: option.unit ? 'ms' : 'number', rule: option } : {}),
    multiple: isRepeatable,
    help: `${describeOption(option)}${isRepeatable ? '; may be repeated' : ''}${isShown ? ` (${shownDefault})` : ''}`,
    commands: serve,
    ...own,
  }
}

/** All flags, in the order of the help. */
export const flags = {
  port: optionFlag('port', { short: 'p', defaultText: '4010, or env PORT' }),
  host: optionFlag('host', { value: 'address' }),
  fixture: optionFlag('fixture', { short: 'f', value: 'name|path' }),
  fixtures: optionFlag('fixtures', { value: 'folder', commands: ['serve', 'check'] }),
  state: optionFlag('state', { value: 'file', defaultText: '.insights-double/state.json' }),
  memory: { help: 'keep the state in memory, not in a file', commands: serve },
  fresh: optionFlag('fresh'),
  spec: optionFlag('spec', { value: 'file', commands: ['serve', 'check', 'explain', 'schema'] }),
  json: { help: 'print JSON', commands: ['explain'] },
  strict: optionFlag('strict', { commands: ['serve', 'check'] }),
  delay: optionFlag('delayMs'),
  watch: optionFlag('watch'),
  'fail-on-violation': { help: 'exit with 3 if the contract was broken', commands: serve },
  report: { value: 'file', help: 'write violations and coverage at the end, to a .json or .md file', commands: serve },
  log: {
    value: logFormats.join('|'),
    rule: { type: 'string', oneOf: logFormats },
    help: 'how to log requests (pretty)',
    commands: serve,
  },
  'admin-token': optionFlag('adminToken', { value: 'token', commands: [...serve, ...remote] }),
  'allowed-host': optionFlag('allowedHosts', { value: 'name' }),
  'admin-origin': optionFlag('adminOrigins', { value: 'origin' }),
  'max-sandboxes': optionFlag('maxSandboxes'),
  'sandbox-idle': optionFlag('sandboxIdleMs'),
  url: {
    value: 'url',
    help: 'double to talk to (http://127.0.0.1:4010, or env INSIGHTS_DOUBLE_URL)',
    commands: remote,
  },
  out: { value: 'file', help: 'write the state to a file', commands: ['state'] },
  operation: { value: 'operationId', help: 'only requests to this operation', commands: ['requests'] },
  status: {
    value: 'number',
    rule: { type: 'integer', least: 100, most: 599 },
    help: 'only requests answered with this status',
    commands: ['requests'],
  },
  caller: { value: 'name', help: 'only requests of this caller', commands: ['requests'] },
  verdict: {
    value: 'ok|violation',
    rule: filterOptions.verdict,
    help: 'only requests with this verdict',
    commands: ['requests'],
  },
  help: { short: 'h', help: 'show this help', commands },
  version: { short: 'v', help: 'show the version', commands },
} satisfies Record<string, Flag>

/** The name of a flag. */
export type FlagName = keyof typeof flags

/** A command line that makes no sense. The message says what is wrong and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What `--help` prints. */
export function helpText(): string {
  const describe: Readonly<Record<Command, string>> = {
    serve: 'serve the service (what happens without a command)',
    check: '[files…]  check spec and fixtures, print every problem',
    explain: 'print what the double does with each operation and parameter, and why',
    schema: 'print the JSON Schema of fixtures for a contract',
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
    'A stand-in for a service: real state, every request and every reply checked against the contract.',
    ...lines,
    '',
    'Exit codes: 0 done, 1 checked and found wrong, 2 wrong usage or could not start, 3 stopped with violations.',
    '',
  ].join('\n')
}
