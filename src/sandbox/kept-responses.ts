/** The responses to requests with an idempotency key, until the next reset. */
import type { OperationResponse } from '../contract/contract.js'

/** The key of a request: for one caller and operation. */
export interface RequestKey {
  readonly name: string
  /** Equal for equal requests. */
  readonly fingerprint: string
}

interface KeptResponse {
  readonly fingerprint: string
  readonly response: OperationResponse
}

const maxKept = 1000

export class KeptResponses {
  readonly #kept = new Map<string, KeptResponse>()

  get(name: string): KeptResponse | undefined {
    return this.#kept.get(name)
  }

  /** Keeps a response at once, unless its change is not saved. Drops the oldest of more than 1,000. @throws The error of `save`. */
  async keep({ fingerprint, name }: RequestKey, response: OperationResponse, save: () => Promise<void>): Promise<void> {
    this.#kept.set(name, { fingerprint, response })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest)
    try {
      await save()
    } catch (error) {
      this.#kept.delete(name)
      throw error
    }
  }
}
