/** Fixtures for Vitest's `test.extend`. Imports no runner, so that there is no second copy of it. */
import type { DoubleOptions, SandboxHandle } from '../index.js'
import type { DoubleWorkerFixtures, SandboxFixtureOptions, SandboxNeeds, Use } from './test-sandbox.js'
import { formatSandboxReport, ofWorker, ownDouble, useSandbox } from './test-sandbox.js'

/** The fixtures. `test.override` sets the options for a group of tests, `test.extend` for a file. */
export interface DoubleFixtures extends SandboxFixtureOptions, DoubleWorkerFixtures {
  /** A sandbox of the test. A test fails if its client breaks the contract. The requests of a failed test are printed. */
  sandbox: SandboxHandle
}

/** The part of Vitest's `task` that tells whether the test has failed. */
interface RunningTask {
  readonly result?: { readonly state: string } | undefined
  readonly file?: { readonly filepath: string }
  readonly fullName?: string
  readonly name?: string
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
export const doubleFixtures = {
  fixture: undefined,
  now: undefined,
  uniqueTokens: false,
  expectViolations: false,
  // Vitest reads the names of fixtures from the source of these functions.
  // oxlint-disable-next-line no-empty-pattern
  doubleOptions: ofWorker(async ({}, use: Use<DoubleOptions>) => use({})),
  double: ownDouble,
  sandbox: async (
    { double, expectViolations, fixture, now, task, uniqueTokens }: SandboxNeeds & { readonly task: RunningTask },
    use: Use<SandboxHandle>,
  ) =>
    useSandbox(
      double,
      { expectViolations, file: task.file?.filepath, fixture, now, title: task.fullName ?? task.name, uniqueTokens },
      use,
      () => task.result?.state === 'fail',
      // Vitest shows it below the name of the test.
      (report) => console.error(formatSandboxReport(report)),
    ),
}
