/** Formats a report as Markdown. */
import { markdownCell } from '../../safe-text.js'
import { describeShare } from '../../sandbox/coverage.js'
import type { RunReport } from './run-report.js'

/** Formats a report as Markdown. @param maxRows - The most violations that it lists. */
export function markdownReport(report: RunReport, maxRows = Infinity): string {
  const { coverage, covered, exchanges, expected, violating, violations } = report
  const listed = violations.slice(0, maxRows)
  const violationRows = listed.flatMap(({ id, method, status, url, violations: found }) =>
    found
      .filter(({ severity }) => severity === 'Error')
      .map(({ message }) => [id, markdownCell(`${method} ${url}`), String(status ?? 'none'), markdownCell(message)]),
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
    ...(violating > listed.length ? ['', `${violating - listed.length} more are not listed.`] : []),
    '',
    '## Coverage',
    '',
    `${describeShare(covered)}.`,
    '',
    ...table(
      ['Operation', 'Status', 'Responses', ''],
      coverage.map(({ count, documented, operation, status }) => {
        const remark = documented ? (count === 0 ? 'never' : '') : 'not documented'
        return [markdownCell(operation), status, String(count), remark]
      }),
    ),
    '',
  ].join('\n')
}

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
