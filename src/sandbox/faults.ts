/** Faults: requests get a delayed, different or partial response, or none. Requests are counted, and nothing is random: the same calls give the same results. */

/** The requests that a fault affects. A request must match everything that is given. */
export interface FaultMatch {
  /** The name of the caller. Default: every request, also one without a caller. */
  readonly caller?: string
  /** Parameters by name, with the values of a request. Default: every request. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** A fault to add. */
export interface FaultRequest {
  /** The operationId to affect. Default: every operation. */
  readonly operation?: string
  /** The caller and the parameters to affect. Default: every request of the operation. */
  readonly match?: FaultMatch
  /** Number of matching requests to serve normally first, 0 to 1,000,000. Default 0. */
  readonly skip?: number
  /** Number of requests to affect, 1 to 1,000,000, or `always`. Default 1. */
  readonly times?: number | 'always'
  /** Delay before the response, milliseconds, 0 to 60,000. Default 0. */
  readonly delayMs?: number
  /** Status of the response, 200 to 599. Default: that of a success if there is a body; otherwise the service responds. */
  readonly status?: number
  /** Header fields of the response by name. They replace those that the response has. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Body of the response. A string is sent as it is, as `text/plain` unless `headers` has another `content-type`; any other value is sent
   * as JSON. Default: one that the contract allows.
   */
  readonly body?: unknown
  /** True to close the connection instead of responding. Default false. */
  readonly disconnect?: boolean
  /** True to close the connection after the header fields and the first half of the body. Default false. */
  readonly truncate?: boolean
  /** Delay before each of up to ten parts of the body, milliseconds, 0 to 10,000. Default 0: the body is sent at once. */
  readonly chunkDelayMs?: number
}

/** A stored fault, with its header fields by lower-case name. */
export interface Fault extends Required<Omit<FaultRequest, 'body' | 'operation' | 'status'>> {
  readonly id: string
  readonly operation: string | null
  readonly status: number | null
  /** Missing: the fault sets no body. */
  readonly body?: unknown
  /** Number of requests that it has affected. The fault is removed when it reaches `times`. */
  readonly fired: number
}

/** A request, for the choice of a fault. */
export interface FaultCandidate {
  readonly operation: string
  readonly caller: string | undefined
  hasParameter(name: string, value: unknown): boolean
}

const affects = ({ match: { caller, parameters = {} }, operation }: Fault, request: FaultCandidate): boolean =>
  (operation === null || operation === request.operation) &&
  (caller === undefined || caller === request.caller) &&
  Object.entries(parameters).every(([name, value]) => request.hasParameter(name, value))

const maxConsumed = 50

/** The faults of one sandbox, in the order in which they were added. */
export class Faults {
  /** Each with the number of matching requests that it has skipped. */
  #counted: readonly { fault: Fault; skipped: number }[] = []
  #last = 0
  /** Those that were removed or have affected all their requests, the last one first. */
  #consumed: readonly Fault[] = []

  get isEmpty(): boolean {
    return this.#counted.length === 0
  }

  /** Creates a fault with its defaults. It is not added yet. */
  prepare(request: FaultRequest): Fault {
    const { body, headers = {}, ...given } = request
    const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    return {
      id: `fault-${++this.#last}`,
      operation: null,
      match: {},
      skip: 0,
      times: 1,
      delayMs: 0,
      status: null,
      headers: Object.fromEntries(fields),
      ...(body === undefined ? {} : { body }),
      disconnect: false,
      truncate: false,
      chunkDelayMs: 0,
      ...given,
      fired: 0,
    }
  }

  add(fault: Fault): void {
    this.#counted = [...this.#counted, { fault, skipped: 0 }]
  }

  list(): readonly Fault[] {
    return this.#counted.map(({ fault }) => fault)
  }

  /** Returns the last 50 that were removed or have affected all their requests, the last one first. */
  consumed(): readonly Fault[] {
    return this.#consumed
  }

  remove(id: string): void {
    const removed = this.list().filter((fault) => fault.id === id)
    this.#consumed = [...removed, ...this.#consumed].slice(0, maxConsumed)
    this.#counted = this.#counted.filter(({ fault }) => fault.id !== id)
  }

  /** @returns A function that brings all back, as older ones than those that were added since. */
  clear(): () => void {
    const [counted, consumed] = [this.#counted, this.#consumed]
    this.#counted = []
    this.#consumed = []
    return () => {
      this.#counted = [...counted, ...this.#counted]
      this.#consumed = [...this.#consumed, ...consumed].slice(0, maxConsumed)
    }
  }

  /** Counts a request. @returns The fault to inject: the first that matches and has skipped enough requests. Undefined if there is none. */
  next(request: FaultCandidate): Fault | undefined {
    for (const counted of this.#counted) {
      const { fault } = counted
      if (!affects(fault, request)) continue
      if (counted.skipped < fault.skip) {
        counted.skipped++
        continue
      }
      counted.fault = { ...fault, fired: fault.fired + 1 }
      if (fault.times !== 'always' && counted.fault.fired >= fault.times) this.remove(fault.id)
      return counted.fault
    }
    return undefined
  }
}
