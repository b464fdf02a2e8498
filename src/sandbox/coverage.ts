/** Coverage: how often each documented status of each operation was answered. */

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
  #counts = new Map<string, Map<string, number>>()

  /** Counts a reply. @param status - As the spec has it. */
  count(operation: string, status: string): void {
    const statuses = this.#counts.get(operation) ?? new Map<string, number>()
    this.#counts.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  /** All documented statuses in the order of the contract, with those that were answered beyond them. */
  rows(
    operations: readonly { readonly id: string; readonly replies: readonly { readonly status: string }[] }[],
  ): CoverageRow[] {
    return operations.flatMap(({ id, replies }) => {
      const counts = this.#counts.get(id) ?? new Map<string, number>()
      const documented = replies.map(({ status }) => status)
      const further = [...counts.keys()].filter((status) => !documented.includes(status))
      const row = (status: string, isDocumented: boolean): CoverageRow => ({
        operation: id,
        status,
        documented: isDocumented,
        count: counts.get(status) ?? 0,
      })
      return [
        ...documented.map((status) => row(status, true)),
        ...further.map((status) => row(status, false)),
      ]
    })
  }

  /** Forgets every count. */
  clear(): void {
    this.#counts = new Map()
  }
}
