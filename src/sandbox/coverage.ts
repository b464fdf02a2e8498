/** Coverage: the number of responses for each operation and status. */
import type { Operation } from '../contract/contract.js'
import { documentedResponse } from '../contract/validate-response.js'

/** The coverage of one status of an operation. */
export interface CoverageRow {
  /** The operationId. */
  readonly operation: string
  /** As in the spec, `200`, `4XX` or `default`; or the status of a response that the spec does not document. */
  readonly status: string
  /** True if the contract documents the status. */
  readonly documented: boolean
  /** The number of responses. */
  readonly count: number
}

/** The coverage of one sandbox. */
export class Coverage {
  #counts = new Map<string, Map<number, number>>()

  /** Counts a response. */
  count(operation: string, status: number): void {
    const statuses = this.#counts.get(operation) ?? new Map<number, number>()
    this.#counts.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  /** Returns all documented statuses in the order of the contract, and the undocumented ones that had responses. */
  rows(operations: readonly Operation[]): CoverageRow[] {
    return operations.flatMap((operation) => {
      const counts = new Map<string, number>(operation.responses.map(({ status }) => [status, 0]))
      for (const [status, count] of this.#counts.get(operation.id) ?? []) {
        const name = documentedResponse(operation, status)?.status ?? String(status)
        counts.set(name, (counts.get(name) ?? 0) + count)
      }
      const isDocumented = (status: string): boolean =>
        operation.responses.some((response) => response.status === status)
      return [...counts].map(([status, count]) => ({
        operation: operation.id,
        status,
        documented: isDocumented(status),
        count,
      }))
    })
  }

  /** Removes all counts. */
  clear(): void {
    this.#counts = new Map()
  }
}
