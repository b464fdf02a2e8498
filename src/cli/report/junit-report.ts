/** Formats a report as JUnit XML, in the form of Apache Ant, whose published schema is the strictest. */
import type { CoverageRow } from '../../sandbox/coverage-row.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'
import type { RunReport } from './run-report.js'

interface TestCase {
  readonly name: string
  readonly className: string
  readonly seconds: number
  /** Why the status was not answered. */
  readonly skipped?: string
  /** The violation. */
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string }
}

/** Formats a report: one test case for each operation and documented status, and one for each violation. */
export function junitReport({ coverage, startedAt, violations }: RunReport): string {
  const suites = [
    formatSuite(0, 'coverage', startedAt, coverage.filter(({ documented }) => documented).map(coverageCase)),
    formatSuite(1, 'violations', startedAt, violations.flatMap(violationCases)),
  ]
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
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

function formatSuite(id: number, name: string, startedAt: string, cases: readonly TestCase[]): string {
  const count = (key: 'failure' | 'skipped'): number => cases.filter((testCase) => testCase[key] !== undefined).length
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0)
  // The schema allows no time zone and no fraction of a second, and requires a host name.
  const attributes = {
    id,
    name,
    package: 'insights-double',
    hostname: 'localhost',
    timestamp: startedAt.slice(0, 19),
    tests: cases.length,
    failures: count('failure'),
    errors: 0,
    skipped: count('skipped'),
    time: time.toFixed(3),
  }
  return [
    `  <testsuite${formatAttributes(attributes)}>`,
    '    <properties/>',
    ...cases.map(formatCase),
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n')
}

function formatCase({ className, failure, name, seconds, skipped }: TestCase): string {
  const opening = `    <testcase${formatAttributes({ name, classname: className, time: seconds.toFixed(3) })}`
  if (failure) {
    const { message, text, type } = failure
    return `${opening}><failure${formatAttributes({ message, type })}>${escapeXml(text)}</failure></testcase>`
  }
  if (skipped !== undefined) return `${opening}><skipped${formatAttributes({ message: skipped })}/></testcase>`
  return `${opening}/>`
}

const formatAttributes = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll(/\s+/gu, ' ')}"`)
    .join('')

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML 1.0. Characters that XML cannot contain become U+FFFD. */
const escapeXml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(/[&<>"]/gu, (character) => entities[character] ?? character)
