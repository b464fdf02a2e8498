/** Fixtures for Vitest's `test.extend`. Imports no runner, so that there is no second copy of it. */
import type { DoubleHandle, DoubleOptions, SandboxHandle } from '../index.js'
import { formatSandboxReport, type SandboxFixtureOptions, type Use, useDouble, useSandbox } from './test-sandbox.js'

/** The fixtures. `test.override` sets the options for a group of tests, `test.extend` for a file. */
export interface DoubleFixtures extends SandboxFixtureOptions {
  /** The options of a double that is started here. Default: none. Not used with `INSIGHTS_DOUBLE_URL`. */
  doubleOptions: DoubleOptions
  /** The double at `INSIGHTS_DOUBLE_URL`, or one for each worker process of Vitest. */
  double: DoubleHandle
  /** A sandbox of the test. A test fails if its client breaks the contract. The requests of a failed test are printed. */
  sandbox: SandboxHandle
}

/** The part of Vitest's `task` that tells whether the test has failed. */
interface RunningTask {
  readonly result?: { readonly state: string } | undefined
  readonly file?: { readonly filepath: string }
}

/** The functions and values of the fixtures, in the form of Vitest's `test.extend`. */
interface VitestFixtures extends SandboxFixtureOptions {
  readonly doubleOptions: [(context: object, use: Use<DoubleOptions>) => Promise<void>, { scope: 'worker' }]
  readonly double: [
    (context: { doubleOptions: DoubleOptions }, use: Use<DoubleHandle>) => Promise<void>,
    { scope: 'worker' },
  ]
  readonly sandbox: (
    context: SandboxFixtureOptions & { readonly double: DoubleHandle; readonly task: RunningTask },
    use: Use<SandboxHandle>,
  ) => Promise<void>
}

/**
 * The fixtures `double` and `sandbox`, and the options `fixture`, `now`, `uniqueTokens` and `expectViolations`.
 *
 * @example
 * import { test as base } from 'vitest'
 * export const test = base.extend<DoubleFixtures>(doubleFixtures)
 *
 * test('lists orders', async ({ sandbox }) => {
 *   const response = await fetch(`${sandbox.url}/orders`)
 * })
 */
export const doubleFixtures: VitestFixtures = {
  fixture: undefined,
  now: undefined,
  uniqueTokens: false,
  expectViolations: false,
  // Vitest reads the names of fixtures from the source of these functions.
  // oxlint-disable-next-line no-empty-pattern
  doubleOptions: [async ({}, use) => use({}), { scope: 'worker' }],
  double: [async ({ doubleOptions }, use) => useDouble(doubleOptions, use), { scope: 'worker' }],
  sandbox: async ({ double, expectViolations, fixture, now, task, uniqueTokens }, use) =>
    useSandbox(
      double,
      { expectViolations, file: task.file?.filepath, fixture, now, uniqueTokens },
      use,
      () => task.result?.state === 'fail',
      // Vitest shows it below the name of the test.
      (report) => console.error(formatSandboxReport(report)),
    ),
}
