/** Reports the requests, changes and violations of a test's sandbox to the test runner. */
import type { DoubleHandle, JournalEntry } from '../index.js'
import { DoubleError } from '../index.js'
import { safeJson, safeLine } from '../safe-text.js'

/** The requests, changes and violations of a sandbox, as text. */
interface SandboxReport {
  /** Each request with its status, caller and verdict, and its violations and warnings. */
  readonly requests: string
  /** The changes of the state, as JSON. */
  readonly diff: string
  /** Each unexpected violation, one line each. Empty: none. */
  readonly violations: string
}

/** Reports what happened in a sandbox. @returns Undefined if the test has dropped the sandbox. */
export async function collectSandboxReport(
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
      diff: safeJson(diff.collections, 2),
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
    ({ message, severity }) => `\n  ${severity === 'Error' ? 'violation' : 'warning'}: ${safeLine(message)}`,
  )
  return `${safeLine(`${method} ${url}`)}  ${status ?? 'no response'}  ${caller ?? 'no caller'}  ${verdict}${findings.join('')}`
}

const formatViolations = ({ method, status, url, violations }: JournalEntry): string[] =>
  violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ message }) => safeLine(`${method} ${url} (${status ?? 'no response'}): ${message}`))
