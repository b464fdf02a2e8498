/** Collects the report of a run: the violations and the coverage. */
import type { Operation } from '../../contract/contract.js'
import type { CoverageRow } from '../../sandbox/coverage-row.js'
import type { CoverageShare } from '../../sandbox/coverage.js'
import { Coverage, coverageShare } from '../../sandbox/coverage.js'
import type { RequestSummary } from '../../sandbox/journal-entry.js'

/** The most requests with violations that a report lists. All are counted. */
const maxListed = 1000

/** The report of a run. */
export interface RunReport {
  /** Time of the start, RFC 3339. */
  readonly startedAt: string
  /** Number of requests to the service, in all sandboxes. */
  readonly exchanges: number
  /** Number of requests with unexpected violations. */
  readonly violating: number
  /** Number of requests with violations in sandboxes that expect them. */
  readonly expected: number
  /** The first 1,000 requests with unexpected violations. */
  readonly violations: readonly RequestSummary[]
  /** The number of responses by operation and status, in all sandboxes. */
  readonly coverage: readonly CoverageRow[]
  /** The share of the documented statuses that were answered. */
  readonly covered: CoverageShare
}

/** Collects the report while a double runs. */
export class RunReporter {
  readonly #startedAt = new Date().toISOString()
  readonly #coverage = new Coverage()
  readonly #violations: RequestSummary[] = []
  #requests = 0
  #violating = 0
  #expected = 0

  /** True if there are unexpected violations. */
  get hasViolations(): boolean {
    return this.#violating > 0
  }

  /** Adds a request. @param isExpected - True if its sandbox expects violations. */
  add(entry: RequestSummary, isExpected: boolean): void {
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
    const coverage = this.#coverage.rows(operations)
    return {
      startedAt: this.#startedAt,
      exchanges: this.#requests,
      violating: this.#violating,
      expected: this.#expected,
      violations: this.#violations,
      coverage,
      covered: coverageShare(coverage),
    }
  }
}
