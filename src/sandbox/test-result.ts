/** The outcome of the test that a sandbox is for. */
export interface TestResult {
  readonly outcome: 'failed' | 'passed' | 'skipped'
  /** The reason, at most 4,000 characters. */
  readonly message?: string
}

/** The test that a sandbox is for. A report names it when the sandbox is gone. */
export interface SandboxTest {
  readonly sandbox: string
  /** Undefined: none was given. */
  readonly title: string | undefined
  readonly expectsViolations: boolean
  /** Undefined: it has not ended. */
  result: TestResult | undefined
}
