/** What a double can be told, and what it does when it is told nothing. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { FixtureDocument } from './control/fixture-document.js'
import type { JournalEntry } from './sandbox/journal.js'
import type { OptionRules } from './validate-options.js'

/** What a double is made of. */
export interface DoubleOptions {
  /** The spec of the service. Default: the one of this package. */
  readonly spec?: string | undefined
  /** The folder of fixtures. Default: that of this package. */
  readonly fixtures?: string | undefined
  /** The fixture to begin with: a name in the folder, a path, or the fixture itself. Default `default`. */
  readonly fixture?: string | FixtureDocument | undefined
  /** The file that keeps the state. Default: none, the state is in memory. */
  readonly state?: string | undefined
  /** Whether to begin anew although there is a state file. Default false. */
  readonly fresh?: boolean | undefined
  /** The address to listen on. Default `127.0.0.1`. Any that is not loopback demands an `adminToken`. */
  readonly host?: string | undefined
  /** The port to listen on. Default 0, which picks a free one. */
  readonly port?: number | undefined
  /** Whether to refuse a spec that says what the double does not enforce. Default false. */
  readonly strict?: boolean | undefined
  /** Waited before each reply of the service, milliseconds, 0 to 60,000. Default 0. */
  readonly delayMs?: number | undefined
  /** Whether a changed spec or fixture is taken over while the double serves. Default false. */
  readonly watch?: boolean | undefined
  /** The bearer token that the control plane demands. Default: none. */
  readonly adminToken?: string | undefined
  /** Host names that the control plane answers to beside those of loopback, without a port. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins whose pages may use the control plane beside the double's own, such as `http://localhost:5173`. Default: none. */
  readonly adminOrigins?: readonly string[] | undefined
  /** How many sandboxes there may be beside the root, from 1. Default 1,000. */
  readonly maxSandboxes?: number | undefined
  /** After how long a sandbox that nobody uses is dropped, milliseconds, from 1. Default 3,600,000, an hour. */
  readonly sandboxIdleMs?: number | undefined
  /** Hears of every exchange, those with the control plane included; and whether its sandbox expects violations. */
  readonly onExchange?: ((entry: JournalEntry, isControl: boolean, isExpected: boolean) => void) | undefined
  /** Hears of what should not have happened, with the id of the exchange it happened in. */
  readonly onFailure?: ((id: string, error: unknown) => void) | undefined
  /** Hears that a changed file was taken over, or why it was not. */
  readonly onReload?: ((file: string, problem: Error | undefined) => void) | undefined
}

/** What each option of a double may be. Flags and run-time checks are made from it. */
export const doubleOptions = {
  spec: { type: 'string' },
  fixtures: { type: 'string' },
  fixture: { type: 'fixture' },
  state: { type: 'string' },
  fresh: { type: 'boolean' },
  strict: { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'integer', least: 0, most: 65_535 },
  delayMs: { type: 'integer', unit: 'milliseconds', least: 0, most: 60_000 },
  watch: { type: 'boolean' },
  adminToken: { type: 'string', isSecret: true },
  allowedHosts: { type: 'strings' },
  adminOrigins: { type: 'strings' },
  maxSandboxes: { type: 'integer', least: 1, most: 1_000_000 },
  sandboxIdleMs: { type: 'integer', unit: 'milliseconds', least: 1, most: Number.MAX_SAFE_INTEGER },
  onExchange: { type: 'function' },
  onFailure: { type: 'function' },
  onReload: { type: 'function' },
} as const satisfies OptionRules<keyof DoubleOptions>

const packageFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The spec of this package. */
export const defaultSpec = packageFile('spec/insights.yaml')

/** The contract of the control plane. */
export const controlSpec = packageFile('spec/control.yaml')

/** The fixtures of this package. */
export const defaultFixtures = packageFile('fixtures')

/** The fixture that a double begins with. */
export const defaultFixture = 'default'

/** The address that a double listens on. */
export const defaultHost = '127.0.0.1'

/** How many sandboxes there may be beside the root. */
export const defaultMaxSandboxes = 1000

/** After how long a sandbox that nobody uses is dropped: an hour. Milliseconds. */
export const defaultSandboxIdleMs = 3_600_000

/** The package's version. */
export const version = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}
