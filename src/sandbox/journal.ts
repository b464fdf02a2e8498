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

/** The oldest entries beyond the limits are dropped. */
export interface JournalLimits {
  readonly maxEntries: number
  /** Approximate size of all entries, bytes. */
  readonly maxBytes: number
}

type JournalListener = (recorded: RecordedRequest) => void

/** The most removed entries at the start of the array. To remove each entry from the array would move all others. */
const maxRemoved = 1024

export class Journal {
  readonly #limits: JournalLimits | undefined
  readonly #listeners = new Set<JournalListener>()
  /** Entries with violations that are older than the others. They are dropped last, at most a tenth of all. */
  #violations: RecordedRequest[] = []
  /** Oldest first. The first `#start` items are removed entries. */
  #recorded: (RecordedRequest | undefined)[] = []
  #start = 0
  #bytes = 0
  #evicted = 0
  /** Number of all requests that were recorded. They are numbered from 1. */
  #newest = 0
  /** Number of recorded requests with violations since the journal was last cleared. */
  #violating = 0

  constructor(limits?: JournalLimits) {
    this.#limits = limits
  }

  /** Number of entries that were dropped since the journal was last cleared. */
  get evicted(): number {
    return this.#evicted
  }

  /** Number of all requests since the journal was last cleared, and of those with violations. */
  get requests(): number {
    return this.#size + this.#violations.length + this.#evicted
  }

  get violating(): number {
    return this.#violating
  }

  /** Approximate size of all entries. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of the newest entry, from 1. 0 if none was ever recorded. */
  get newest(): number {
    return this.#newest
  }

  /** Number of all recorded entries that were dropped or cleared. */
  get dropped(): number {
    return this.#newest - this.#size
  }

  get #size(): number {
    return this.#recorded.length - this.#start
  }

  /** Returns the number of an entry. 0 if the journal does not contain it. */
  numberOf(id: string): number {
    const index = this.#recorded.findIndex((recorded) => recorded?.summary.id === id)
    return index === -1 ? 0 : this.dropped + index - this.#start + 1
  }

  /** @returns The entry that follows a number, and the number of entries in between that were dropped or cleared. */
  next(number: number): { recorded: RecordedRequest; number: number; missed: number } | undefined {
    const missed = Math.max(0, this.dropped - number)
    const recorded = this.#recorded[this.#start + number + missed - this.dropped]
    return recorded && { recorded, number: number + missed + 1, missed }
  }

  record(recorded: RecordedRequest): void {
    this.#recorded.push(recorded)
    this.#newest++
    if (recorded.summary.verdict === 'violation') this.#violating++
    this.#bytes += recorded.bytes
    const { maxBytes = Infinity, maxEntries = Infinity } = this.#limits ?? {}
    while (this.#size + this.#violations.length > maxEntries || (this.#bytes > maxBytes && this.#size > 1))
      this.#dropOldest(maxEntries)
    for (const listener of this.#listeners) listener(recorded)
  }

  find(filter: JournalFilter = {}): readonly RecordedRequest[] {
    return [...this.#violations, ...this.#recorded].filter(
      (recorded): recorded is RecordedRequest => recorded !== undefined && matchesFilter(recorded, filter),
    )
  }

  get(id: string): RecordedRequest | undefined {
    return [...this.#violations, ...this.#recorded].find((recorded) => recorded?.summary.id === id)
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

  /** Removes all entries and resets `evicted`. Listeners stay. */
  clear(): void {
    this.#recorded = []
    this.#violations = []
    this.#start = 0
    this.#bytes = 0
    this.#evicted = 0
    this.#violating = 0
  }

  #dropOldest(maxEntries: number): void {
    const oldest = this.#recorded[this.#start]
    this.#recorded[this.#start++] = undefined
    const isKept = oldest?.summary.verdict === 'violation' && maxEntries >= 10
    if (isKept) this.#violations.push(oldest)
    const dropped =
      isKept && this.#violations.length <= maxEntries / 10 ? undefined : isKept ? this.#violations.shift() : oldest
    if (dropped) this.#evicted++
    this.#bytes -= dropped?.bytes ?? 0
    if (this.#start <= maxRemoved || this.#start <= this.#size) return
    this.#recorded = this.#recorded.slice(this.#start)
    this.#start = 0
  }
}
