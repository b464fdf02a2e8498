/** The sandbox of a test for Jest. Imports no runner, so that there is no second copy of it. */
import type { DoubleHandle, DoubleOptions, SandboxHandle } from '../index.js'
import { connectOrStartDouble, formatSandboxReport, type SandboxFixtureOptions, useSandbox } from './test-sandbox.js'

/** The options of `withSandbox`. */
export interface WithSandboxOptions extends Partial<SandboxFixtureOptions> {
  /** The options of a double that is started here. Default: none. Not used with `INSIGHTS_DOUBLE_URL`. */
  readonly doubleOptions?: DoubleOptions
}

/** The doubles of the test file, by their options as JSON. */
const doubles = new Map<string, Promise<DoubleHandle>>()

// Jest loads this file once for each test file. Without its global functions, the double ends with the process.
const { afterAll, expect } = globalThis as {
  afterAll?: (run: () => Promise<void>) => void
  expect?: { getState(): { readonly currentTestName?: string; readonly testPath?: string } }
}
afterAll?.(async () => {
  for (const double of doubles.values()) await (await double).stop()
})

/**
 * Gives a test a sandbox of the double at `INSIGHTS_DOUBLE_URL`, or of one for each test file. A test fails if its client breaks the
 * contract. The requests of a failed test are printed.
 *
 * @param run - The test. Further arguments are those that `test.each` gives.
 *
 * @example
 * test('lists orders', withSandbox(async (sandbox) => {
 *   expect((await fetch(`${sandbox.url}/orders`)).status).toBe(200)
 * }))
 */
export function withSandbox<Row extends readonly unknown[]>(
  run: (sandbox: SandboxHandle, ...row: Row) => unknown,
  { doubleOptions = {}, expectViolations = false, fixture, now, uniqueTokens = false }: WithSandboxOptions = {},
): (...row: Row) => Promise<void> {
  return async (...row) => {
    const key = JSON.stringify(doubleOptions)
    const double = doubles.get(key) ?? connectOrStartDouble(doubleOptions)
    doubles.set(key, double)
    const { currentTestName, testPath } = expect?.getState() ?? {}
    const failures: { readonly error: unknown }[] = []
    await useSandbox(
      await double,
      { expectViolations, file: testPath, fixture, now, title: currentTestName, uniqueTokens },
      async (sandbox) => {
        try {
          await run(sandbox, ...row)
        } catch (error) {
          failures.push({ error })
        }
      },
      () => failures.length > 0,
      (report) => console.error(formatSandboxReport(report)),
    )
    for (const { error } of failures) throw error
  }
}
