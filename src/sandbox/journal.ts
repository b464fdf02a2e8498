/**
 * The journal: what was asked of a sandbox, what was answered, and why.
 *
 * It is bounded in entries and in bytes, and counts what it had to drop, so that nobody takes a dropped entry for none. Secrets never
 * get in.
 */
import type { Violation } from '../contract/contract.js'

/** One exchange: a request and its reply. */
export interface JournalEntry {
  /** The same as the reply's `x-request-id`. */
  readonly id: string
  /** When the request came, RFC 3339. */
  readonly time: string
  /** The sandbox's name. */
  readonly sandbox: string
  readonly method: string
  /** As received, cut at 2,048 characters. Secrets are redacted. */
  readonly url: string
  /** Header fields by lower-case name. Secrets are redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The operationId. Null where the contract has no such operation. */
  readonly operation: string | null
  /** The caller's name. Null where there is none. */
  readonly caller: string | null
  /** The reply's status. Null where no reply was sent. */
  readonly status: number | null
  /** From the request's arrival until its reply was ready, milliseconds. */
  readonly durationMs: number
  /** `violation` where the contract was broken, on either side. Warnings do not count. */
  readonly verdict: 'ok' | 'violation'
  readonly violations: readonly Violation[]
  /** The id of the fault that was applied. */
  readonly fault: string | null
  /** The preferences that were applied, as `Preference-Applied` has them. */
  readonly preference: string | null
  /** Why, where the reply does not say it. */
  readonly note: string | null
}

/** Which entries are meant. Every criterion that is given must hold. */
export interface JournalFilter {
  /** An operationId. */
  readonly operation?: string
  readonly status?: number
  /** A caller's name. */
  readonly caller?: string
  readonly verdict?: 'ok' | 'violation'
}

/** How long to wait for entries. */
export interface JournalWait {
  /** How many entries must match, from 0. */
  readonly atLeast: number
  /** How long to wait for them, milliseconds. */
  readonly withinMs: number
  /** Gives a signal that ends the wait early, as when whoever waits has gone. Asked for where there is a wait. */
  readonly until?: () => AbortSignal
}

/** The most that a journal holds. */
export interface JournalLimits {
  /** Entries. Default 1,000. */
  readonly maxEntries: number
  /** Bytes of text, about. Default 4 MiB. */
  readonly maxBytes: number
}

/** Entries are dropped beyond these, the oldest first. */
export const defaultJournalLimits: JournalLimits = { maxEntries: 1000, maxBytes: 4 * 1024 * 1024 }

/** Hears of every entry as it is recorded. */
export type JournalListener = (entry: JournalEntry) => void

/** Whether an entry is meant by a filter. */
function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return (
    (filter.operation === undefined || entry.operation === filter.operation) &&
    (filter.status === undefined || entry.status === filter.status) &&
    (filter.caller === undefined || entry.caller === filter.caller) &&
    (filter.verdict === undefined || entry.verdict === filter.verdict)
  )
}

/** What was asked of one sandbox since its last reset. */
export class Journal {
  readonly #limits: JournalLimits
  readonly #listeners = new Set<JournalListener>()
  /** Oldest first. */
  #kept: Kept[] = []
  #bytes = 0
  #evicted = 0
  /** How many entries were ever recorded. Each has its number, from 1. */
  #recorded = 0

  constructor(limits: JournalLimits = defaultJournalLimits) {
    this.#limits = limits
  }

  /** How many entries were dropped since the journal was last cleared. */
  get evicted(): number {
    return this.#evicted
  }

  /** The number of the newest entry, from 1. 0 where none was ever recorded. */
  get newest(): number {
    return this.#recorded
  }

  /** The number of an entry. @returns 0 where it never was, was dropped or was cleared. */
  numberOf(id: string): number {
    const index = this.#kept.findIndex(({ entry }) => entry.id === id)
    return index === -1 ? 0 : this.dropped + index + 1
  }

  /**
   * The entry that follows the one with a number.
   *
   * @returns Undefined where none does; else the entry, its number, and how many between the two were dropped or cleared.
   */
  next(number: number): { readonly entry: JournalEntry; readonly number: number; readonly missed: number } | undefined {
    const missed = Math.max(0, this.dropped - number)
    const following = this.#kept[number + missed - this.dropped]
    return following && { entry: following.entry, number: number + missed + 1, missed }
  }

  /** How many of all recorded entries are not kept any more, because they were dropped or cleared. */
  get dropped(): number {
    return this.#recorded - this.#kept.length
  }

  /** Records an exchange. */
  record(entry: JournalEntry): void {
    const size = sizeOf(entry)
    this.#kept.push({ entry, size })
    this.#recorded++
    this.#bytes += size
    const { maxBytes, maxEntries } = this.#limits
    while (this.#kept.length > maxEntries || (this.#bytes > maxBytes && this.#kept.length > 1)) this.#dropOldest()
    for (const listener of this.#listeners) listener(entry)
  }

  /** The entries that a filter means, oldest first. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    return this.#kept.map(({ entry }) => entry).filter((entry) => matches(entry, filter))
  }

  /** One entry. @returns undefined where it never was or was dropped. */
  entry(id: string): JournalEntry | undefined {
    return this.#kept.find(({ entry }) => entry.id === id)?.entry
  }

  /** Waits until enough entries match. @returns Whether they did in time. */
  async wait(filter: JournalFilter, { atLeast, until, withinMs }: JournalWait): Promise<boolean> {
    const satisfied = (): boolean => this.entries(filter).length >= atLeast
    if (satisfied()) return true
    const signal = until?.()
    if (signal?.aborted) return false
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        stopListening()
        signal?.removeEventListener('abort', finish)
        resolve(satisfied())
      }
      const timer = setTimeout(finish, withinMs)
      const stopListening = this.listen((entry) => {
        if (matches(entry, filter) && satisfied()) finish()
      })
      signal?.addEventListener('abort', finish)
    })
  }

  /** Calls back for every entry from now on. @returns What stops it. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Forgets every entry, and that any were dropped. Who listens goes on listening. */
  clear(): void {
    this.#kept = []
    this.#bytes = 0
    this.#evicted = 0
  }

  #dropOldest(): void {
    this.#bytes -= this.#kept.shift()?.size ?? 0
    this.#evicted++
  }
}

/** An entry, and about how many bytes it takes. */
interface Kept {
  readonly entry: JournalEntry
  readonly size: number
}

/** About how many bytes an entry takes: what a client can make long, and a constant for the rest. */
function sizeOf(entry: JournalEntry): number {
  let size = 400 + entry.url.length
  for (const name in entry.headers) size += name.length + (entry.headers[name]?.length ?? 0)
  for (const violation of entry.violations) size += violation.message.length
  return size
}
