/** Coverage: how often each documented status of each operation was answered. */
import type { Operation } from '../contract/contract.js'
import { documentedResponse } from '../contract/response-rules.js'

/** One operation with one of its statuses. */
export interface CoverageRow {
  /** The operationId. */
  readonly operation: string
  /** As the spec has it: `200`, `4XX` or `default`; or a status that was answered though no reply documents it. */
  readonly status: string
  /** Whether the contract documents it. */
  readonly documented: boolean
  /** How often it was answered. */
  readonly count: number
}

/** The counts of one sandbox. */
export class Coverage {
  #counts = new Map<string, Map<number, number>>()

  /** Counts a reply. */
  count(operation: string, status: number): void {
    const statuses = this.#counts.get(operation) ?? new Map<number, number>()
    this.#counts.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  /** All documented statuses in the order of the contract, with those that were answered beyond them. */
  rows(operations: readonly Operation[]): CoverageRow[] {
    return operations.flatMap((operation) => {
      const counts = new Map<string, number>(operation.responses.map(({ status }) => [status, 0]))
      for (const [status, count] of this.#counts.get(operation.id) ?? []) {
        const name = documentedResponse(operation, status)?.status ?? String(status)
        counts.set(name, (counts.get(name) ?? 0) + count)
      }
      const isDocumented = (status: string): boolean => operation.responses.some((reply) => reply.status === status)
      return [...counts].map(([status, count]) => ({
        operation: operation.id,
        status,
        documented: isDocumented(status),
        count,
      }))
    })
  }

  /** Forgets every count. */
  clear(): void {
    this.#counts = new Map()
  }
}
