import type { FixtureDocument } from './control/document-types.js'
import { defaultRecords } from './resources/generated/generated-records.js'
import type { JournalFilter } from './sandbox/journal-entry.js'
import type { OptionRule } from './validate-options.js'

/** The definition of one option: type, unit, bounds, default and description. */
export interface OptionDefinition extends OptionRule {
  /** A phrase without a full stop, for the help. */
  readonly description: string
  /** The value of an option that is left out. Default: none. */
  readonly default?: string | number | boolean
  /** The words for a default that differs between machines. Default: the value itself. */
  readonly defaultText?: string
}

const text = (description: string, defaultText: string) => ({ type: 'string', description, defaultText }) as const
const flag = (description: string) => ({ type: 'boolean', default: false, description }) as const
const strings = (description: string) => ({ type: 'strings', description }) as const
const integer = <const Rule>(description: string, rule: Rule) => ({ type: 'integer', description, ...rule }) as const
const duration = <const Rule>(description: string, rule: Rule) =>
  integer(description, { unit: 'milliseconds', ...rule } as const)

/**
 * The options of a double. Run-time checks, the type `DoubleOptions`, the flags and their help come from this table. `rolldown.config.js`
 * writes its descriptions into the published types; a test compares the documents with it.
 */
export const doubleOptions = {
  spec: text('contract of the service: a file, a folder with one contract in it, or a URL', 'that of the package'),
  specRoot: text('folder above which no file of a contract is read', 'the folder of the contract'),
  specHeaders: strings('header for the host of a contract from a URL, its value in an environment variable'),
  overlay: { type: 'string', description: 'OpenAPI Overlay 1.0 that is applied to the contract' },
  lockFile: text(
    'lock: the roles and effects that explain --lock has written, with which the contract is compared',
    'double.lock.json next to the contract, if there is one',
  ),
  handlers: {
    type: 'path',
    description: 'JavaScript file of handlers for operations that are not CRUD: a path, or a file URL',
  },
  handlerTimeoutMs: duration('time that a call of a handler has', { least: 1, most: 60_000, default: 1000 }),
  fixtures: text('folder of fixtures', 'those of the package'),
  fixturesWritable: flag('let the control plane write fixtures into the folder of --fixtures, which must be given'),
  fixture: {
    type: 'fixture',
    default: 'default',
    description: 'initial fixture: a name in the folder of fixtures, or a path',
  },
  records: integer(
    'records of each collection, without a fixture: those of the examples of the contract, and generated ones; 0 is none',
    { least: 0, most: 100_000, default: defaultRecords.records },
  ),
  seed: integer('number that chooses the generated records', { least: 0, default: defaultRecords.seed }),
  state: text('file that keeps the state', 'none, the state is in memory'),
  fresh: flag('start from the fixture although there is a state file'),
  strict: flag('refuse a contract with parts that the double does not enforce'),
  host: {
    type: 'string',
    default: '127.0.0.1',
    description: 'address to listen on; an address other than loopback needs an admin token',
  },
  port: integer('port to listen on, or 0 for a free one', { least: 0, most: 65_535, default: 0 }),
  now: {
    type: 'date-time',
    defaultText: 'none, the clock runs',
    description: 'fixed time for the dates that the double fills in; RFC 3339',
  },
  delayMs: duration('delay before each response of the service', { least: 0, most: 60_000, default: 0 }),
  vary: strings('variation of responses that is on, such as order listOrders 200'),
  watch: flag('reload the spec, the overlay, the handlers or the fixture when it changes'),
  adminToken: { type: 'string', isSecret: true, description: 'bearer token that the control plane requires' },
  allowedHosts: { ...strings('host name of the control plane, in addition to loopback'), item: 'host-name' },
  adminOrigins: { ...strings('origin whose pages may use the control plane'), item: 'origin' },
  journalEntries: integer('maximum number of entries of each journal', { least: 1, most: 1_000_000, default: 1000 }),
  journalBytes: integer('maximum size of each journal', { unit: 'bytes', least: 1, default: 32 * 1024 * 1024 }),
  maxSandboxes: integer('maximum number of sandboxes, without the root', { least: 1, most: 1_000_000, default: 1000 }),
  sandboxIdleMs: duration('time after which an unused sandbox is dropped', { least: 1, default: 3_600_000 }),
  keptSandboxes: integer('maximum number of dropped sandboxes whose requests and changes can still be read', {
    least: 0,
    most: 1000,
    default: 50,
  }),
} as const satisfies Readonly<Record<string, OptionDefinition>>

export type OptionName = keyof typeof doubleOptions

interface ValueOf {
  readonly string: string
  readonly strings: readonly string[]
  readonly 'date-time': string
  readonly integer: number
  readonly boolean: boolean
  readonly fixture: string | FixtureDocument
  readonly path: string | { readonly href: string }
}

type OptionValues = {
  readonly [Name in OptionName]?: ValueOf[(typeof doubleOptions)[Name]['type']] | undefined
}

/** The options of a double. */
export interface DoubleOptions extends OptionValues {
  /** Initial fixture: a name in the folder of fixtures, a path, or the fixture itself. Default: default. */
  readonly fixture?: string | FixtureDocument | undefined
}

export function describeOption({ description, least, most, unit }: OptionDefinition): string {
  const bounds = least === undefined ? undefined : most === undefined ? `at least ${least}` : `${least} to ${most}`
  const extent = [unit, bounds].filter((part) => part !== undefined).join(', ')
  return extent === '' ? description : `${description}; ${extent}`
}

/** The options of `connectDouble`. */
export interface ConnectOptions {
  /** The bearer token of the control plane. Default: none. */
  readonly adminToken?: string | undefined
}

/** The options of `waitForRequests`: a filter, a number and a time limit. */
export interface WaitOptions extends JournalFilter {
  /** Number of requests that must match, from 0. Default 1. */
  readonly atLeast?: number
  /** The longest wait, milliseconds, 0 to 60,000. Default 2,000. */
  readonly withinMs?: number
}

/** The options of a new sandbox. */
export interface SandboxOptions {
  /** 1 to 64 of the characters `A-Za-z0-9._~-`, the first a letter or digit. Default: a random name. */
  readonly name?: string
  /** The title of the test that it is for, at most 300 characters. Default: none. */
  readonly title?: string
  /** The name of a fixture, or an inline fixture. Default: the fixture of the root's last reset. */
  readonly fixture?: string | FixtureDocument
  /** Number of records of each collection, in place of a fixture: those of examples, and generated ones. 0 to 100,000. Default: none are generated. */
  readonly records?: number
  /** Number that chooses the generated records, an integer from 0. Default 1. */
  readonly seed?: number
  /** True if violations are expected. `--fail-on-violation` and the report then ignore them. Default false. */
  readonly expectViolations?: boolean
  /** Fixed time for the dates that the double fills in; RFC 3339. Default: that of the root. */
  readonly now?: string
  /**
   * True if the callers get unique tokens; `callers` of the handle has them. A request to the root URL with such a token goes to this
   * sandbox. Use it if an app can pass on neither the header nor the base URL of a test, as in server-side rendering. Default false.
   */
  readonly uniqueTokens?: boolean
  /** The variations that are on, such as `order listOrders 200`. Default: those of the root. */
  readonly vary?: readonly string[]
}
