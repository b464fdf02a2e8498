import { appendFile } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'

import { isUrl } from '../../addresses.js'
import type { Contract, Operation } from '../../contract/contract.js'
import { describedEvidence } from '../../error-message.js'
import { environmentVariable, printError } from '../../node-process.js'
import { markdownCell } from '../../safe-text.js'
import type { CoverageRow } from '../../sandbox/coverage-row.js'
import { Coverage, coverageShare, describeShare } from '../../sandbox/coverage.js'
import type { CommonSummary, RecordedRequest, RequestSummary } from '../../sandbox/journal-entry.js'
import type { SandboxTest } from '../../sandbox/test-result.js'
import { formatReport, markdownTable, type TestCase, type TestSuite } from './report-file.js'

/** The most requests with violations that a report lists. All are counted. */
const maxListed = 1000

export type RunReport = ReturnType<RunReporter['report']>

export interface VariedUnit {
  readonly unit: string
  readonly outcome: 'fails' | 'note' | 'passes' | 'not reached'
  /** The finding, with its lines. Empty: it is none. */
  readonly text: string
  /** The place in the contract that allows it. */
  readonly file: string
  readonly line: number
}

export class RunReporter {
  readonly #startedAt = new Date().toISOString()
  readonly #coverage = new Coverage()
  readonly #evidence = new Map<string, { test: SandboxTest; entry: CommonSummary; responses: number }>()
  readonly #violations: RequestSummary[] = []
  /** The numbers of requests to the service in all sandboxes, with unexpected violations, and with violations in sandboxes that expect them. */
  readonly #counts = { exchanges: 0, violating: 0, expected: 0 }

  add(recorded: Pick<RecordedRequest, 'common' | 'summary'>, test: SandboxTest): void {
    const { common: entry } = recorded
    this.#counts.exchanges++
    if (entry.evidence !== undefined) {
      const key = JSON.stringify([test.sandbox, entry.operation, entry.status, entry.evidence])
      this.#evidence.set(key, { test, entry, responses: (this.#evidence.get(key)?.responses ?? 0) + 1 })
    }
    if (entry.operation !== null && entry.status !== null) this.#coverage.count(entry.operation, entry.status)
    if (entry.verdict === 'ok') return
    this.#counts[test.expectsViolations ? 'expected' : 'violating']++
    if (!test.expectsViolations && this.#violations.length < maxListed) this.#violations.push(recorded.summary)
  }

  /** @param variations - Undefined: nothing was varied. */
  report(operations: readonly Operation[], variations?: readonly VariedUnit[]) {
    const coverage = this.#coverage.rows(operations)
    return {
      startedAt: this.#startedAt,
      ...this.#counts,
      violations: this.#violations,
      coverage,
      covered: coverageShare(coverage),
      ...(variations && { variations }),
      evidence: Array.from(this.#evidence.values(), ({ entry, responses, test: { result, sandbox, title } }) => {
        const { evidence = 'none', operation, status } = entry
        return { sandbox, title, outcome: result?.outcome, operation, status, evidence, responses }
      }),
    }
  }
}

/** The responses of a test with the same operation, status and evidence. */
type EvidenceRow = RunReport['evidence'][number]

/** A line for each operation. There is no figure for all of them: they would hide each other. */
export const describeEvidence = (rows: readonly EvidenceRow[]): readonly string[] =>
  Array.from(new Set(rows.map(({ operation }) => operation)), (operation) => {
    const own = rows.filter((row) => row.operation === operation)
    const figures = Object.entries(describedEvidence).map(([evidence, text]) => {
      const count = own.reduce((sum, row) => sum + (row.evidence === evidence ? row.responses : 0), 0)
      return `${text} ${count}`
    })
    return `${operation ?? ''}: ${figures.join(', ')}`
  })

const evidenceToMarkdown = (rows: readonly EvidenceRow[]): readonly string[] => [
  '## Evidence',
  '',
  ...describeEvidence(rows).map((line) => `- ${markdownCell(line)}`),
  '',
  ...markdownTable(
    ['Test', 'Result', 'Operation', 'Status', 'Responses', ''],
    rows.map((row) => {
      const { evidence, operation, outcome = '', responses, sandbox, status, title = sandbox } = row
      const answered = [markdownCell(operation ?? ''), String(status), String(responses)]
      return [markdownCell(title), outcome, ...answered, describedEvidence[evidence]]
    }),
  ),
  '',
]

/** Formats a report in the format of a file's extension. In JUnit, it has a case for each documented status, and for each violation. */
export const formatRunReport = (file: string, report: RunReport): string =>
  formatReport(file, report, runReportToMarkdown, ({ coverage, variations = [], violations }) => [
    { name: 'coverage', cases: coverage.filter(({ documented }) => documented).map(coverageCase) },
    { name: 'violations', cases: violations.flatMap(violationCases) },
    ...(variations.length === 0 ? [] : [variationSuite(variations)]),
  ])

function coverageCase({ count, operation, status }: CoverageRow): TestCase {
  const testCase = { name: `${operation} responds with ${status}`, className: operation }
  if (count > 0) return testCase
  const remark = status.startsWith('5') ? '; 5xx does not count in the coverage' : ''
  return { ...testCase, skipped: `Not answered in this run${remark}.` }
}

const variationSuite = (variations: readonly VariedUnit[]): TestSuite => ({
  name: 'variations',
  cases: variations.map(({ outcome, text, unit }) => ({
    name: unit,
    className: 'variations',
    ...(outcome === 'not reached' && { skipped: 'Not reached in this run.' }),
    ...(outcome === 'fails' && { failure: { message: text.split('\n')[0] ?? '', type: outcome, text } }),
  })),
  systemOut: variations.flatMap(({ outcome, text }) => (outcome === 'note' ? text : [])).join('\n\n'),
})

const errorsOf = ({ violations }: RequestSummary): RequestSummary['violations'] =>
  violations.filter(({ severity }) => severity === 'Error')

function violationCases(request: RequestSummary): TestCase[] {
  const { durationMs, id, method, operation, status, url } = request
  const testCase = {
    name: `${method} ${url} (${id})`,
    className: operation ?? 'no operation',
    seconds: durationMs / 1000,
  }
  return errorsOf(request).map(({ code, location, message }) => {
    const text = `${method} ${url}\nstatus ${status ?? 'none'}\n${location.join('.')}: ${message}`
    return { ...testCase, failure: { message, type: String(code), text } }
  })
}

function runReportToMarkdown(report: RunReport, maxRows = Infinity): string {
  const { evidence, coverage, covered, exchanges, expected, variations = [], violating, violations } = report
  const listed = violations.slice(0, maxRows)
  const violationRows = listed.flatMap((request) => {
    const { id, method, status, url } = request
    const cells = [id, markdownCell(`${method} ${url}`), String(status ?? 'none')]
    return errorsOf(request).map(({ message }) => [...cells, markdownCell(message)])
  })
  const coverageRows = coverage.map(({ count, documented, operation, status }) => {
    const remark = documented ? (count === 0 ? 'never' : '') : 'not documented'
    return [markdownCell(operation), status, String(count), remark]
  })
  return [
    '# Insights double: report',
    '',
    `${exchanges} requests, ${violating} of them with violations.`,
    ...(expected > 0 ? ['', `${expected} more have violations in sandboxes that expect them.`] : []),
    '',
    '## Violations',
    '',
    ...(violationRows.length > 0 ? markdownTable(['Id', 'Request', 'Status', 'Violation'], violationRows) : ['None.']),
    ...(violating > listed.length ? ['', `${violating - listed.length} more are not listed.`] : []),
    '',
    '## Coverage',
    '',
    `${describeShare(covered)}.`,
    '',
    ...markdownTable(['Operation', 'Status', 'Responses', ''], coverageRows),
    '',
    ...(evidence.length === 0 ? [] : evidenceToMarkdown(evidence)),
    ...variations.map(({ outcome, unit }) => `- ${markdownCell(unit)}: ${outcome}`),
  ].join('\n')
}

/** The most violations in the summary of a step. GitHub refuses a summary of more than 1 MiB. */
const maxRows = 300

/** Does nothing outside of GitHub Actions. */
export async function showInGitHub(report: RunReport, contract: Contract): Promise<void> {
  if (environmentVariable('GITHUB_ACTIONS') !== 'true') return
  const lines = annotations(report, contract)
  // GitHub reads an annotation only at the start of a line, and the command of `run` may have left one unfinished.
  if (lines !== '') printError(`\n${lines}`)
  const summary = environmentVariable('GITHUB_STEP_SUMMARY')
  if (summary !== undefined) await appendFile(summary, `${runReportToMarkdown(report, maxRows)}\n`)
}

/** Formats each violation as an annotation at the line of its operation, each finding at the line that allows it. */
const annotations = ({ variations = [], violations }: RunReport, { file, operations }: Contract): string =>
  [
    ...violations.flatMap((request) => {
      const { method, operation, url } = request
      const place = operations.find(({ id }) => id === operation)?.place ?? { file, line: 1 }
      const title = `${method} ${url}`.trim() || 'Unreadable request'
      return errorsOf(request).map(({ message }) => annotation('error', place, title, message))
    }),
    ...variations.flatMap((each) =>
      each.outcome === 'fails' ? annotation('warning', each, each.unit, each.text) : [],
    ),
  ].join('')

/** Names the file if it is one of the repository. */
function annotation(level: string, place: Pick<VariedUnit, 'file' | 'line'>, title: string, text: string): string {
  const { file, line } = place
  const path = relative(environmentVariable('GITHUB_WORKSPACE') ?? '', resolve(file)).replaceAll('\\', '/')
  const isInside = !isUrl(file) && !isAbsolute(path) && !/(?:^|\/)(?:\.\.|node_modules)\//u.test(path)
  const properties = isInside ? `file=${escapeProperty(path)},line=${line},` : ''
  return `::${level} ${properties}title=${escapeProperty(title)}::${escapeData(text)}\n`
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
