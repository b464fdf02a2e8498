/** The part of the report of `run` that says what the responses rest on. */
import { markdownCell } from '../../safe-text.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'
import type { SandboxTest, TestResult } from '../../sandbox/test-result.js'
import { markdownTable, type TestSuite } from './report-file.js'

type ByBasis<T> = Readonly<Record<NonNullable<RequestSummary['basis']>, T>>

export interface BasisReport {
  /** The number of responses of each operation. */
  readonly operations: readonly (ByBasis<number> & { readonly operation: string })[]
  /** The responses of each test, as operations with their statuses, each once. */
  readonly tests: readonly (ByBasis<readonly string[]> & {
    readonly sandbox: string
    readonly title?: string | undefined
    readonly outcome?: TestResult['outcome'] | undefined
  })[]
}

export class BasisCounter {
  readonly #operations = new Map<string, ByBasis<number>>()
  readonly #tests = new Map<SandboxTest, ByBasis<Set<string>>>()

  /** Adds a response, if there is evidence. */
  add({ basis, operation, status }: RequestSummary, test: SandboxTest): void {
    if (basis === undefined || operation === null) return
    const counts = this.#operations.get(operation) ?? { evidence: 0, contract: 0, contradicts: 0 }
    this.#operations.set(operation, { ...counts, [basis]: counts[basis] + 1 })
    const own = this.#tests.get(test) ?? { evidence: new Set(), contract: new Set(), contradicts: new Set() }
    this.#tests.set(test, own)
    own[basis].add(`${operation} ${status ?? ''}`)
  }

  /** Undefined: no response was added. */
  report(): BasisReport | undefined {
    const operations = Array.from(this.#operations, ([operation, counts]) => ({ operation, ...counts }))
    const tests = Array.from(this.#tests, ([{ result, sandbox, title }, { contract, contradicts, evidence }]) => ({
      sandbox,
      title,
      outcome: result?.outcome,
      evidence: [...evidence],
      contract: [...contract],
      contradicts: [...contradicts],
    }))
    return operations.length === 0 ? undefined : { operations, tests }
  }
}

/** A line for each operation. There is no figure for all of them: they would hide each other. */
export const describeBasis = ({ operations }: BasisReport): readonly string[] =>
  operations.map(({ contract, contradicts, evidence, operation }) => {
    return `${operation}: ${evidence} responses rest on evidence, ${contract} on the contract only, ${contradicts} contradict evidence.`
  })

const header = ['Rest on evidence', 'On the contract only', 'Contradict evidence']

export const basisToMarkdown = ({ operations, tests }: BasisReport): readonly string[] => [
  '## Evidence',
  '',
  ...markdownTable(
    ['Operation', ...header],
    operations.map(({ contract, contradicts, evidence, operation }) => [
      markdownCell(operation),
      ...[evidence, contract, contradicts].map(String),
    ]),
  ),
  '',
  ...markdownTable(
    ['Test', 'Result', ...header],
    tests.map(({ contract, contradicts, evidence, outcome = '', sandbox, title = sandbox }) => [
      markdownCell(title),
      outcome,
      ...[evidence, contract, contradicts].map((each) => markdownCell(each.join(', '))),
    ]),
  ),
  '',
]

/** A test whose responses contradict evidence fails, and one that rests on the contract is skipped. */
export const basisSuite = ({ tests }: BasisReport): TestSuite => ({
  name: 'evidence',
  cases: tests.map(({ contract, contradicts, sandbox, title = sandbox }) => {
    const [text, skipped] = [contradicts, contract].map((each) => each.join(', '))
    return {
      name: title,
      className: 'evidence',
      seconds: 0,
      ...(text ? { failure: { message: `${text} contradicts evidence`, type: 'contradicts', text } } : {}),
      ...(skipped ? { skipped: `${skipped} rests on the contract only` } : {}),
    }
  }),
})
