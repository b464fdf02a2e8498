/** The part of the report of `run` that says what the responses rest on. */
import { markdownCell } from '../../safe-text.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'
import type { SandboxTest, TestResult } from '../../sandbox/test-result.js'
import { markdownTable, type TestSuite } from './report-file.js'

/** The responses of a test with the same operation, status and basis. */
export interface BasisRow extends Pick<RequestSummary, 'operation' | 'status'> {
  readonly sandbox: string
  readonly title: string | undefined
  readonly outcome: TestResult['outcome'] | undefined
  readonly basis: NonNullable<RequestSummary['basis']>
  /** Their number. */
  readonly responses: number
}

export class BasisCounter {
  readonly #counts = new Map<
    string,
    { readonly test: SandboxTest; readonly entry: RequestSummary; responses: number }
  >()

  /** Adds a response, if there is evidence. */
  add(entry: RequestSummary, test: SandboxTest): void {
    if (entry.basis === undefined) return
    const key = JSON.stringify([test.sandbox, entry.operation, entry.status, entry.basis])
    this.#counts.set(key, { test, entry, responses: (this.#counts.get(key)?.responses ?? 0) + 1 })
  }

  rows(): readonly BasisRow[] {
    return Array.from(this.#counts.values(), ({ entry, responses, test: { result, sandbox, title } }) => {
      const { basis = 'contract', operation, status } = entry
      return { sandbox, title, outcome: result?.outcome, operation, status, basis, responses }
    })
  }
}

const described = {
  evidence: 'rests on evidence',
  contract: 'rests on the contract only',
  contradicts: 'contradicts evidence',
} as const

/** A line for each operation. There is no figure for all of them: they would hide each other. */
export const describeBasis = (rows: readonly BasisRow[]): readonly string[] =>
  Array.from(new Set(rows.map(({ operation }) => operation)), (operation) => {
    const own = rows.filter((row) => row.operation === operation)
    const figures = Object.entries(described).map(([basis, text]) => {
      const count = own.reduce((sum, row) => sum + (row.basis === basis ? row.responses : 0), 0)
      return `${text} ${count}`
    })
    return `${operation ?? ''}: ${figures.join(', ')}`
  })

const nameOf = ({ sandbox, title = sandbox }: BasisRow): string => title

export const basisToMarkdown = (rows: readonly BasisRow[]): readonly string[] => [
  '## Evidence',
  '',
  ...describeBasis(rows).map((line) => `- ${markdownCell(line)}`),
  '',
  ...markdownTable(
    ['Test', 'Result', 'Operation', 'Status', 'Responses', ''],
    rows.map((row) => {
      const { basis, operation, outcome = '', responses, status } = row
      const test = markdownCell(nameOf(row))
      return [test, outcome, markdownCell(operation ?? ''), String(status), String(responses), described[basis]]
    }),
  ),
  '',
]

/** A response that contradicts evidence fails, and one that rests on the contract only is skipped. */
export const basisSuite = (rows: readonly BasisRow[]): TestSuite => ({
  name: 'evidence',
  cases: rows.map((row) => {
    const { basis, operation, status } = row
    const testCase = { name: `${operation ?? ''} responds with ${status ?? ''}`, className: nameOf(row), seconds: 0 }
    const message = `The response ${described[basis]}.`
    if (basis === 'evidence') return testCase
    return basis === 'contract'
      ? { ...testCase, skipped: message }
      : { ...testCase, failure: { message, type: basis, text: testCase.name } }
  }),
})
