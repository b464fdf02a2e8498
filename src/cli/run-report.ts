/** Collects and writes the report of a run: the violations and the coverage. */
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'

import type { Operation } from '../contract/contract.js'
import type { CoverageRow } from '../sandbox/coverage.js'
import { Coverage } from '../sandbox/coverage.js'
import type { JournalEntry } from '../sandbox/journal.js'

/** The most requests with violations that a report lists. All are counted. */
const maxListed = 1000

/** The report of a run. */
export interface RunReport {
  /** Number of requests to the service, in all sandboxes. */
  readonly exchanges: number
  /** Number of requests with unexpected violations. */
  readonly violating: number
  /** Number of requests with violations in sandboxes that expect them. */
  readonly expected: number
  /** The first 1,000 requests with unexpected violations. */
  readonly violations: readonly JournalEntry[]
  readonly coverage: readonly CoverageRow[]
}

/** Collects the report while a double runs. */
export class RunReporter {
  readonly #coverage = new Coverage()
  readonly #violations: JournalEntry[] = []
  #requests = 0
  #violating = 0
  #expected = 0

  /** True if there are unexpected violations. */
  get hasViolations(): boolean {
    return this.#violating > 0
  }

  /** Adds a request. @param isExpected - Whether its sandbox expects violations. */
  add(entry: JournalEntry, isExpected: boolean): void {
    this.#requests++
    if (entry.operation !== null && entry.status !== null) this.#coverage.count(entry.operation, entry.status)
    if (entry.verdict === 'ok') return
    if (isExpected) {
      this.#expected++
      return
    }
    this.#violating++
    if (this.#violations.length < maxListed) this.#violations.push(entry)
  }

  /** Returns the report of the requests so far. */
  report(operations: readonly Operation[]): RunReport {
    return {
      exchanges: this.#requests,
      violating: this.#violating,
      expected: this.#expected,
      violations: this.#violations,
      coverage: this.#coverage.rows(operations),
    }
  }
}

/** The file extensions of reports. */
export const reportExtensions: readonly string[] = ['.json', '.md']

/** Writes a report, as Markdown to a `.md` file, else as JSON. */
export async function writeReport(file: string, report: RunReport): Promise<void> {
  await writeFile(file, extname(file) === '.md' ? toMarkdown(report) : `${JSON.stringify(report, null, 2)}\n`)
}

function toMarkdown({ coverage, exchanges, expected, violating, violations }: RunReport): string {
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/[\r\n]+/gu, ' ')
  const table = (header: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`)
  const violationRows = violations.flatMap(({ id, method, status, url, violations: found }) =>
    found
      .filter(({ severity }) => severity === 'Error')
      .map(({ message }) => [id, `${method} ${url}`, String(status ?? 'none'), message]),
  )
  return [
    '# Insights double: report',
    '',
    `${exchanges} requests, ${violating} of them with violations.`,
    ...(expected > 0 ? ['', `${expected} more have violations in sandboxes that expect them.`] : []),
    '',
    '## Violations',
    '',
    ...(violationRows.length > 0 ? table(['Id', 'Request', 'Status', 'Violation'], violationRows) : ['None.']),
    ...(violating > violations.length ? ['', `${violating - violations.length} more are not listed.`] : []),
    '',
    '## Coverage',
    '',
    ...table(
      ['Operation', 'Status', 'Responses', ''],
      coverage.map(({ count, documented, operation, status }) => {
        const remark = documented ? (count === 0 ? 'never' : '') : 'not documented'
        return [operation, status, String(count), remark]
      }),
    ),
    '',
  ].join('\n')
}
