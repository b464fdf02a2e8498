/** Reports the requests, changes and violations of a test's sandbox to the test runner. */
import { errorMessage } from '../error-message.js'
import type { JournalEntry, SandboxHandle } from '../index.js'
import { DoubleError } from '../index.js'
import { safeJson, safeLine } from '../safe-text.js'

/** The requests, changes and violations of a sandbox, as text. */
interface SandboxReport {
  /** Each request with its status, caller and verdict, and its violations and warnings. If there is none: what to set. */
  readonly requests: string
  /** The changes of the state, as JSON. */
  readonly diff: string
  /** Each unexpected violation, one line each. Empty: none. */
  readonly violations: string
}

/** The end of a test. */
interface EndedTest {
  readonly hasFailed: boolean
  readonly expectViolations: boolean
}

/**
 * Drops the sandbox of a test that has ended.
 *
 * @returns A report if the test has failed or its client broke the contract. Undefined: there is nothing to show, or the test has dropped the
 * sandbox.
 */
export async function dropTestSandbox(
  sandbox: SandboxHandle,
  { expectViolations, hasFailed }: EndedTest,
): Promise<SandboxReport | undefined> {
  try {
    const { entries: recorded } = await sandbox.requests()
    const { pathname } = new URL(sandbox.url)
    const entries = recorded.map((entry) =>
      entry.url.startsWith(pathname) ? { ...entry, url: entry.url.slice(pathname.length) } : entry,
    )
    const violations = expectViolations ? '' : entries.flatMap(formatViolations).join('\n')
    if (!hasFailed && violations === '') return undefined
    return {
      requests: entries.length > 0 ? entries.map(formatEntry).join('\n') : await explainEmptyJournal(sandbox),
      diff: safeJson((await sandbox.diff()).collections, 2),
      violations,
    }
  } catch (error) {
    if (error instanceof DoubleError) return undefined
    throw error
  } finally {
    await sandbox.stop()
  }
}

/** Returns the message of a wait for a request. It says what arrived elsewhere, and what to set. */
const explainEmptyJournal = (sandbox: SandboxHandle): Promise<string> =>
  sandbox.waitForRequests({ withinMs: 0 }).then(
    () => 'none',
    (error: unknown) => errorMessage(error),
  )

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
    ({ message, severity }) => `\n  ${severity === 'Error' ? 'violation' : 'warning'}: ${safeLine(message)}`,
  )
  return `${safeLine(`${method} ${url}`)}  ${status ?? 'no response'}  ${caller ?? 'no caller'}  ${verdict}${findings.join('')}`
}

const formatViolations = ({ method, status, url, violations }: JournalEntry): string[] =>
  violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ message }) => safeLine(`${method} ${url} (${status ?? 'no response'}): ${message}`))
