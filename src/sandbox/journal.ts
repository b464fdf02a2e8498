/** The journal is limited in entries and in bytes, and counts the entries that it dropped. It contains no secrets. */
import { type JournalFilter, matchesFilter, type RecordedRequest } from './journal-entry.js'

interface JournalWait {
  /** Number of entries that must match, from 0. */
  readonly atLeast: number
  /** The longest wait, milliseconds. */
  readonly withinMs: number
  /** Returns a signal that ends the wait early. Called only if there is a wait. */
  readonly createSignal?: () => AbortSignal
}

/** The most entries, and their approximate size in bytes. The oldest entries beyond the limits are dropped. */
export type JournalLimits = Readonly<Record<'maxBytes' | 'maxEntries', number>>

type JournalListener = (recorded: RecordedRequest) => void

export class Journal {
  readonly #limits: JournalLimits | undefined
  readonly #listeners = new Set<JournalListener>()
  /** Entries with violations that are older than the others. They are dropped last, at most a tenth of all. */
  #violations: RecordedRequest[] = []
  /** The other entries by their numbers, oldest first, without a gap. */
  #recorded = new Map<number, RecordedRequest>()
  bytes = 0
  /** Number of entries that were dropped since the journal was last cleared. */
  evicted = 0
  /** The number of the newest entry, from 1. 0 if none was ever recorded. */
  newest = 0
  /** Number of recorded requests with violations since the journal was last cleared. */
  violating = 0

  constructor(limits?: JournalLimits) {
    this.#limits = limits
  }

  /** Number of all requests since the journal was last cleared. */
  get requests(): number {
    return this.#recorded.size + this.#violations.length + this.evicted
  }

  /** Number of all recorded entries that were dropped or cleared. */
  get dropped(): number {
    return this.newest - this.#recorded.size
  }

  /** Returns the number of an entry. 0 if the journal does not contain it. */
  numberOf(id: string): number {
    return [...this.#recorded].find(([, recorded]) => recorded.id === id)?.[0] ?? 0
  }

  /** @returns The entry that follows a number, and the number of entries in between that were dropped or cleared. */
  next(after: number): { recorded: RecordedRequest; number: number; missed: number } | undefined {
    const missed = Math.max(0, this.dropped - after)
    const number = after + missed + 1
    const recorded = this.#recorded.get(number)
    return recorded && { recorded, number, missed }
  }

  record(recorded: RecordedRequest): void {
    this.#recorded.set(++this.newest, recorded)
    if (recorded.common.verdict === 'violation') this.violating++
    this.bytes += recorded.bytes
    this.#keepLimits()
    for (const listener of this.#listeners) listener(recorded)
  }

  find(filter: JournalFilter = {}): readonly RecordedRequest[] {
    return [...this.#violations, ...this.#recorded.values()].filter((recorded) => matchesFilter(recorded, filter))
  }

  get(id: string): RecordedRequest | undefined {
    return this.find().find((recorded) => recorded.id === id)
  }

  /** Waits until enough entries match. @returns Whether enough matched in time. */
  async wait(filter: JournalFilter, { atLeast, createSignal, withinMs }: JournalWait): Promise<boolean> {
    let matching = 0
    const isSatisfied = (): boolean => {
      matching = this.find(filter).length
      return matching >= atLeast
    }
    if (isSatisfied()) return true
    const signal = withinMs > 0 ? createSignal?.() : undefined
    if (withinMs === 0 || signal?.aborted) return false
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        stopListening()
        signal?.removeEventListener('abort', finish)
        resolve(isSatisfied())
      }
      const timer = setTimeout(finish, withinMs)
      const stopListening = this.listen((recorded) => {
        // Each new entry calls this, so only dropped entries can make the last count wrong.
        if (matchesFilter(recorded, filter) && ++matching >= atLeast && isSatisfied()) finish()
      })
      signal?.addEventListener('abort', finish)
    })
  }

  /** Adds a listener. @returns A function that removes it. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /**
   * Removes all entries and resets `evicted`. Listeners stay.
   * @returns A function that brings all back, as older ones than those that were recorded since. The limits hold.
   */
  clear(): () => void {
    const { bytes, evicted, violating } = this
    const [recorded, violations] = [[...this.#recorded.values()], this.#violations]
    this.#recorded = new Map()
    this.#violations = []
    this.bytes = 0
    this.evicted = 0
    this.violating = 0
    return () => {
      const all = [...recorded, ...this.#recorded.values()]
      this.#recorded = new Map(all.map((each, index) => [this.newest - all.length + index + 1, each]))
      this.#violations = [...violations, ...this.#violations]
      this.bytes += bytes
      this.evicted += evicted
      this.violating += violating
      this.#keepLimits()
    }
  }

  #keepLimits(): void {
    const { maxBytes = Infinity, maxEntries = Infinity } = this.#limits ?? {}
    while (
      this.#recorded.size + this.#violations.length > maxEntries ||
      (this.bytes > maxBytes && this.#recorded.size > 1)
    )
      this.#dropOldest(maxEntries)
  }

  #dropOldest(maxEntries: number): void {
    const oldest = this.#recorded.get(this.dropped + 1)
    if (!oldest) return
    this.#recorded.delete(this.dropped + 1)
    const isKept = oldest.common.verdict === 'violation' && maxEntries >= 10
    if (isKept) this.#violations.push(oldest)
    if (isKept && this.#violations.length <= maxEntries / 10) return
    const dropped = isKept ? this.#violations.shift() : oldest
    this.evicted++
    this.bytes -= dropped?.bytes ?? 0
  }
}
