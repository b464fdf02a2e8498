/** Faults: exchanges that are made to misbehave. They are counted, never random, so the same calls give the same results. */

/** What is to go wrong, and when. */
export interface FaultRequest {
  /** The operationId to affect. Default: every operation. */
  readonly operation?: string
  /** How many matching exchanges to let pass first, from 0. Default 0. */
  readonly skip?: number
  /** How many exchanges to affect, from 1. Default 1. */
  readonly times?: number
  /** Delay before the reply, milliseconds, 0 to 60,000. Default 0. */
  readonly delayMs?: number
  /** The status to answer with, 200 to 599, instead of serving the request. Default: the request is served. */
  readonly status?: number
  /** Whether to cut the connection instead of answering. Default false. */
  readonly disconnect?: boolean
}

/** A fault as the double keeps it. */
export interface Fault {
  readonly id: string
  readonly operation: string | null
  readonly skip: number
  readonly times: number
  readonly delayMs: number
  readonly status: number | null
  readonly disconnect: boolean
  /** How many exchanges it has affected so far. At `times` it is spent, and gone. */
  readonly fired: number
}

interface Counted {
  fault: Fault
  passed: number
}

/** The faults of one sandbox, in the order in which they were added. */
export class Faults {
  #counted: Counted[] = []
  #last = 0

  /** Works out what a fault would be. It is not added yet. */
  prepare(request: FaultRequest): Fault {
    const { operation = null, skip = 0, times = 1, delayMs = 0, status = null, disconnect = false } = request
    return { id: `fault-${++this.#last}`, operation, skip, times, delayMs, status, disconnect, fired: 0 }
  }

  /** Adds a fault, after those there are. */
  add(fault: Fault): void {
    this.#counted.push({ fault, passed: 0 })
  }

  /** The faults that are not spent. */
  list(): readonly Fault[] {
    return this.#counted.map(({ fault }) => fault)
  }

  /** Removes a fault. @returns Whether there was one. */
  remove(id: string): boolean {
    const before = this.#counted.length
    this.#counted = this.#counted.filter(({ fault }) => fault.id !== id)
    return this.#counted.length < before
  }

  /** Removes every fault. */
  clear(): void {
    this.#counted = []
  }

  /**
   * Counts an exchange.
   *
   * @returns The fault to apply to it: the first that matches and has let enough pass. Undefined for none.
   */
  next(operation: string): Fault | undefined {
    for (const counted of this.#counted) {
      const { fault } = counted
      if (fault.operation !== null && fault.operation !== operation) continue
      if (counted.passed < fault.skip) {
        counted.passed++
        continue
      }
      counted.fault = { ...fault, fired: fault.fired + 1 }
      if (counted.fault.fired >= fault.times) this.remove(fault.id)
      return counted.fault
    }
    return undefined
  }
}
