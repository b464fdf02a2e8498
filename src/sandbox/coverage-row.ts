/** The coverage of one status of an operation. */
export interface CoverageRow {
  /** The operationId. */
  readonly operation: string
  /** The status in the spec: `200`, `4XX` or `default`; or the status of a response that the spec does not document. */
  readonly status: string
  /** True if the contract documents the status. */
  readonly documented: boolean
  /** The number of responses. */
  readonly count: number
}
