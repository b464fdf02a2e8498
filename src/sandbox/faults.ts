/** Faults: requests that get a delayed, different or no response. They are counted, never random: the same calls give the same results. */

/** A fault to add. */
export interface FaultRequest {
  /** The operationId to affect. Default: every operation. */
  readonly operation?: string
  /** Number of matching requests to serve normally first, from 0. Default 0. */
  readonly skip?: number
  /** Number of requests to affect, from 1. Default 1. */
  readonly times?: number
  /** Delay before the response, milliseconds, 0 to 60,000. Default 0. */
  readonly delayMs?: number
  /** Status of the response, 200 to 599. Default: the service responds. */
  readonly status?: number
  /** True to close the connection instead of responding. Default false. */
  readonly disconnect?: boolean
}

/** A stored fault. */
export interface Fault {
  readonly id: string
  readonly operation: string | null
  readonly skip: number
  readonly times: number
  readonly delayMs: number
  readonly status: number | null
  readonly disconnect: boolean
  /** Number of requests that it has affected. At `times` the fault is removed. */
  readonly fired: number
}

/** A fault with the number of matching requests that it has skipped. */
interface CountedFault {
  fault: Fault
  skipped: number
}

/** The faults of one sandbox, in the order in which they were added. */
export class Faults {
  #counted: CountedFault[] = []
  #last = 0

  /** Creates a fault with its defaults. It is not added yet. */
  prepare(request: FaultRequest): Fault {
    const { operation = null, skip = 0, times = 1, delayMs = 0, status = null, disconnect = false } = request
    return { id: `fault-${++this.#last}`, operation, skip, times, delayMs, status, disconnect, fired: 0 }
  }

  /** Adds a fault at the end. */
  add(fault: Fault): void {
    this.#counted.push({ fault, skipped: 0 })
  }

  /** Returns the faults that still affect requests. */
  list(): readonly Fault[] {
    return this.#counted.map(({ fault }) => fault)
  }

  /** Removes a fault. @returns Whether it existed. */
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
   * Counts a request.
   *
   * @returns The fault to inject: the first that matches and has skipped enough requests. Undefined if there is none.
   */
  next(operation: string): Fault | undefined {
    for (const counted of this.#counted) {
      const { fault } = counted
      if (fault.operation !== null && fault.operation !== operation) continue
      if (counted.skipped < fault.skip) {
        counted.skipped++
        continue
      }
      counted.fault = { ...fault, fired: fault.fired + 1 }
      if (counted.fault.fired >= fault.times) this.remove(fault.id)
      return counted.fault
    }
    return undefined
  }
}
