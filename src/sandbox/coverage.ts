import { documentedResponse, type Operation } from '../contract/contract.js'
import type { CoverageRow } from './coverage-row.js'

/** The share of the documented statuses that were answered; 100 % if nothing is documented. Statuses of 5xx are left out: a client cannot cause them. */
export function coverageShare(rows: readonly CoverageRow[]) {
  const counted = rows.filter(({ documented, status }) => documented && !status.startsWith('5'))
  const answered = counted.filter(({ count }) => count > 0).length
  const documented = counted.length
  return { answered, documented, percent: documented === 0 ? 100 : (answered / documented) * 100 }
}

/** Describes a share, such as `5 of 8 documented statuses were answered (62.5 %)`. Rounds down, so that 100 % always means all. */
export const describeShare = ({ answered, documented, percent }: ReturnType<typeof coverageShare>): string =>
  `${answered} of ${documented} documented statuses were answered (${Math.floor(percent * 10) / 10} %)`

export class Coverage {
  #counts = new Map<string, Map<number, number>>()

  count(operation: string, status: number, times = 1): void {
    const statuses = this.#counts.get(operation) ?? new Map<number, number>()
    this.#counts.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + times))
  }

  /** Returns all documented statuses in the order of the contract, and the undocumented ones that had responses. */
  rows(operations: readonly Operation[]): CoverageRow[] {
    return operations.flatMap((operation) => {
      const documented = operation.responses.map(({ status }) => status)
      const counts = new Map(documented.map((status) => [status, 0]))
      for (const [status, count] of this.#counts.get(operation.id) ?? []) {
        const name = documentedResponse(operation, status)?.status ?? String(status)
        counts.set(name, (counts.get(name) ?? 0) + count)
      }
      return [...counts].map(([status, count]) => {
        return { operation: operation.id, status, documented: documented.includes(status), count }
      })
    })
  }

  add(other: Coverage): void {
    for (const [operation, statuses] of other.#counts)
      for (const [status, times] of statuses) this.count(operation, status, times)
  }
}

/** Returns the coverage of several sandboxes together, also before their resets. */
export function coverageOf(sandboxes: readonly { readonly wholeCoverage: Coverage }[]): Coverage {
  const sum = new Coverage()
  for (const { wholeCoverage } of sandboxes) sum.add(wholeCoverage)
  return sum
}
