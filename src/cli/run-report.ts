/** The report of a run: what broke the contract, and which of its statuses were seen. */
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'

import type { Operation } from '../contract/contract.js'
import type { CoverageRow } from '../sandbox/coverage.js'
import { Coverage } from '../sandbox/coverage.js'
import type { JournalEntry } from '../sandbox/journal.js'

/** How many exchanges with violations a report lists. All are counted. */
const maxListed = 1000

/** What a report says. */
export interface RunReport {
  /** Exchanges with the service, in all sandboxes. */
  readonly exchanges: number
  /** Exchanges that broke the contract, without those that were expected to. */
  readonly violating: number
  /** Exchanges that broke the contract in sandboxes that expect it. */
  readonly expected: number
  /** Those of them that are listed, the first 1,000. */
  readonly violations: readonly JournalEntry[]
  readonly coverage: readonly CoverageRow[]
}

/** Gathers a report while a double serves. */
export class RunReporter {
  readonly #coverage = new Coverage()
  readonly #violations: JournalEntry[] = []
  #exchanges = 0
  #violating = 0
  #expected = 0

  /** Whether the contract was broken where that was not expected. */
  get hasViolations(): boolean {
    return this.#violating > 0
  }

  /** Takes an exchange in. @param isExpected - Whether its sandbox expects violations. */
  add(entry: JournalEntry, isExpected: boolean): void {
    this.#exchanges++
    if (entry.operation !== null && entry.status !== null) this.#coverage.count(entry.operation, entry.status)
    if (entry.verdict === 'ok') return
    if (isExpected) {
      this.#expected++
      return
    }
    this.#violating++
    if (this.#violations.length < maxListed) this.#violations.push(entry)
  }

  /** What there is to say so far. */
  report(operations: readonly Operation[]): RunReport {
    return {
      exchanges: this.#exchanges,
      violating: this.#violating,
      expected: this.#expected,
      violations: this.#violations,
      coverage: this.#coverage.rows(operations),
    }
  }
}

/** File name endings that a report can have. */
export const reportExtensions: readonly string[] = ['.json', '.md']

/** Writes a report: as Markdown for `.md`, as JSON for `.json`. */
export async function writeReport(file: string, report: RunReport): Promise<void> {
  await writeFile(file, extname(file) === '.md' ? toMarkdown(report) : `${JSON.stringify(report, null, 2)}\n`)
}

function toMarkdown({ coverage, exchanges, expected, violating, violations }: RunReport): string {
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/[\r\n]+/gu, ' ')
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`)
  const broken = violations.flatMap(({ id, method, status, url, violations: all }) =>
    all
      .filter(({ severity }) => severity === 'Error')
      .map(({ message }) => [id, `${method} ${url}`, String(status ?? 'cut'), message]),
  )
  return [
    '# Insights double: report',
    '',
    `${exchanges} exchanges, ${violating} of them with violations.`,
    ...(expected > 0 ? ['', `${expected} more broke the contract in sandboxes that expect it.`] : []),
    '',
    '## Violations',
    '',
    ...(broken.length > 0 ? table(['Request', 'What', 'Status', 'Violation'], broken) : ['None.']),
    ...(violating > violations.length ? ['', `${violating - violations.length} more are not listed.`] : []),
    '',
    '## Coverage',
    '',
    ...table(
      ['Operation', 'Status', 'Answered', ''],
      coverage.map(({ count, documented, operation, status }) => {
        const remark = documented ? (count === 0 ? 'never' : '') : 'not documented'
        return [operation, status, String(count), remark]
      }),
    ),
    '',
  ].join('\n')
}
