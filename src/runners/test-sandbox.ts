/** The sandbox of one test. */
import type { DoubleHandle, FixtureDocument, SandboxHandle, SandboxOptions } from '../index.js'

/** The options of a test's sandbox. A test runner sets them for a test, a group of tests or a file. */
export interface SandboxFixtureOptions {
  /** The name of a fixture, or an inline fixture. Default: the fixture of the double. */
  fixture: string | FixtureDocument | undefined
  /** Fixed time for the dates that the double fills in, such as `2026-01-05T09:30:00Z`. Default: the clock runs. */
  now: string | undefined
  /** True if the callers of the sandbox get unique tokens, for apps that are rendered on a server. Default false. */
  uniqueTokens: boolean
  /** True if the test breaks the contract on purpose. Default false. */
  expectViolations: boolean
}

/** Creates the sandbox of a test. */
export async function createTestSandbox(
  double: DoubleHandle,
  { expectViolations, fixture, now, uniqueTokens }: SandboxFixtureOptions,
): Promise<SandboxHandle> {
  const options: SandboxOptions = {
    expectViolations,
    uniqueTokens,
    ...(fixture === undefined ? {} : { fixture }),
    ...(now === undefined ? {} : { now }),
  }
  return double.sandbox(options)
}
