/** The outcome of the test that a sandbox is for. */
export interface TestResult {
  readonly outcome: 'failed' | 'passed' | 'skipped'
  /** The reason, at most 4,000 characters. */
  readonly message?: string
}
