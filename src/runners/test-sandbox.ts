/** The sandbox of one test: creates it, and reports what happened in it. */
import type { DoubleHandle, FixtureDocument, JournalEntry, SandboxHandle, SandboxOptions } from '../index.js'
import { DoubleError } from '../index.js'

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

/** The requests, changes and violations of a sandbox, as text. */
interface SandboxReport {
  /** Each request with its status, caller and verdict, and its violations and warnings. */
  readonly requests: string
  /** The changes of the state, as JSON. */
  readonly diff: string
  /** Each unexpected violation, one line each. Empty: none. */
  readonly violations: string
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

/** Reports what happened in a sandbox. @returns Undefined if the test has dropped the sandbox. */
export async function reportSandbox(
  sandbox: DoubleHandle,
  expectViolations: boolean,
): Promise<SandboxReport | undefined> {
  try {
    const [{ entries: recorded }, diff] = await Promise.all([sandbox.requests(), sandbox.diff()])
    const { pathname } = new URL(sandbox.url)
    const entries = recorded.map((entry) =>
      entry.url.startsWith(pathname) ? { ...entry, url: entry.url.slice(pathname.length) } : entry,
    )
    return {
      requests: entries.map(formatEntry).join('\n'),
      diff: JSON.stringify(diff.collections, null, 2),
      violations: expectViolations ? '' : entries.flatMap(formatViolations).join('\n'),
    }
  } catch (error) {
    if (error instanceof DoubleError) return undefined
    throw error
  }
}

/** Formats a report for the output of a test runner. */
export function formatSandboxReport({ diff, requests, violations }: SandboxReport): string {
  const section = (title: string, text: string): string =>
    `Insights double, ${title}:\n${(text === '' ? 'none' : text).replaceAll(/^/gmu, '  ')}\n`
  return [section('requests', requests), section('changes', diff), section('violations', violations)].join('')
}

/** Creates the error of a test whose client broke the contract. */
export const violationError = (violations: string): Error =>
  new Error(`${violations}\nThe client broke the contract. Set expectViolations if the test does so on purpose.`)

function formatEntry(entry: JournalEntry): string {
  const { caller, method, status, url, verdict, violations } = entry
  const findings = violations.map(
    ({ message, severity }) => `\n  ${severity === 'Error' ? 'violation' : 'warning'}: ${message}`,
  )
  return `${method} ${url}  ${status ?? 'no response'}  ${caller ?? 'no caller'}  ${verdict}${findings.join('')}`
}

const formatViolations = ({ method, status, url, violations }: JournalEntry): string[] =>
  violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ message }) => `${method} ${url} (${status ?? 'no response'}): ${message}`)
