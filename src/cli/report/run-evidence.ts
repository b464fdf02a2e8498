/** The part of the report of `run` that says what the responses rest on. */
import { markdownCell } from '../../safe-text.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'
import type { SandboxTest, TestResult } from '../../sandbox/test-result.js'
import { markdownTable, type TestSuite } from './report-file.js'

/** The responses of a test with the same operation, status and evidence. */
export interface EvidenceRow extends Pick<RequestSummary, 'operation' | 'status'> {
  readonly sandbox: string
  readonly title: string | undefined
  readonly outcome: TestResult['outcome'] | undefined
  readonly evidence: NonNullable<RequestSummary['evidence']>
  /** Their number. */
  readonly responses: number
}

const described = {
  agrees: 'rests on evidence',
  none: 'rests on the contract only',
  differs: 'contradicts evidence',
} as const

export class EvidenceCounter {
  readonly #counts = new Map<string, Readonly<{ test: SandboxTest; entry: RequestSummary; responses: number }>>()

  /** Adds a response, if there is evidence. */
  add(entry: RequestSummary, test: SandboxTest): void {
    if (entry.evidence === undefined) return
    const key = JSON.stringify([test.sandbox, entry.operation, entry.status, entry.evidence])
    this.#counts.set(key, { test, entry, responses: (this.#counts.get(key)?.responses ?? 0) + 1 })
  }

  rows(): readonly EvidenceRow[] {
    return Array.from(this.#counts.values(), ({ entry, responses, test: { result, sandbox, title } }) => {
      const { evidence = 'none', operation, status } = entry
      return { sandbox, title, outcome: result?.outcome, operation, status, evidence, responses }
    })
  }
}

/** A line for each operation. There is no figure for all of them: they would hide each other. */
export const describeEvidence = (rows: readonly EvidenceRow[]): readonly string[] =>
  Array.from(new Set(rows.map(({ operation }) => operation)), (operation) => {
    const own = rows.filter((row) => row.operation === operation)
    const figures = Object.entries(described).map(([evidence, text]) => {
      const count = own.reduce((sum, row) => sum + (row.evidence === evidence ? row.responses : 0), 0)
      return `${text} ${count}`
    })
    return `${operation ?? ''}: ${figures.join(', ')}`
  })

const nameOf = ({ sandbox, title = sandbox }: EvidenceRow): string => title

export const evidenceToMarkdown = (rows: readonly EvidenceRow[]): readonly string[] => [
  '## Evidence',
  '',
  ...describeEvidence(rows).map((line) => `- ${markdownCell(line)}`),
  '',
  ...markdownTable(
    ['Test', 'Result', 'Operation', 'Status', 'Responses', ''],
    rows.map((row) => {
      const { evidence, operation, outcome = '', responses, status } = row
      const test = markdownCell(nameOf(row))
      return [test, outcome, markdownCell(operation ?? ''), String(status), String(responses), described[evidence]]
    }),
  ),
  '',
]

/** A response that contradicts evidence fails, and one that rests on the contract only is skipped. */
export const evidenceSuite = (rows: readonly EvidenceRow[]): TestSuite => ({
  name: 'evidence',
  cases: rows.map((row) => {
    const { evidence, operation, status } = row
    const testCase = { name: `${operation ?? ''} responds with ${status ?? ''}`, className: nameOf(row) }
    const message = `The response ${described[evidence]}.`
    if (evidence === 'agrees') return testCase
    return evidence === 'none'
      ? { ...testCase, skipped: message }
      : { ...testCase, failure: { message, type: evidence, text: testCase.name } }
  }),
})
