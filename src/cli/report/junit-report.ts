/** Formats a report as JUnit XML. */
import type { CoverageRow } from '../../sandbox/coverage-row.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'
import type { TestCase } from './junit-xml.js'
import { formatJunitXml } from './junit-xml.js'
import type { RunReport } from './run-report.js'

/** Formats a report: one test case for each operation and documented status, and one for each violation. */
export function formatJunitReport({ coverage, startedAt, violations }: RunReport): string {
  return formatJunitXml(startedAt, [
    { name: 'coverage', cases: coverage.filter(({ documented }) => documented).map(coverageCase) },
    { name: 'violations', cases: violations.flatMap(violationCases) },
  ])
}

function coverageCase({ count, operation, status }: CoverageRow): TestCase {
  const name = `${operation} responds with ${status}`
  if (count > 0) return { name, className: operation, seconds: 0 }
  const remark = status.startsWith('5') ? '; 5xx does not count in the coverage' : ''
  return { name, className: operation, seconds: 0, skipped: `Not answered in this run${remark}.` }
}

function violationCases({ durationMs, id, method, operation, status, url, violations }: RequestSummary): TestCase[] {
  return violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ code, location, message }) => ({
      name: `${method} ${url} (${id})`,
      className: operation ?? 'no operation',
      seconds: durationMs / 1000,
      failure: {
        message,
        type: String(code),
        text: `${method} ${url}\nstatus ${status ?? 'none'}\n${location.join('.')}: ${message}`,
      },
    }))
}
