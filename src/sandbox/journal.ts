/**
 * The journal: the requests of a sandbox with their responses.
 *
 * It is limited in entries and in bytes, and counts the entries that it dropped. It contains no secrets.
 */
import type { Violation } from '../contract/contract.js'

/** A recorded request with its response. */
export interface JournalEntry {
  /** The response's `x-request-id`. */
  readonly id: string
  /** Time of arrival, RFC 3339. */
  readonly time: string
  /** The sandbox's name. */
  readonly sandbox: string
  readonly method: string
  /** The request target as received, at most 2,048 characters. Secrets are redacted. */
  readonly url: string
  /** Header fields by lower-case name. Secrets are redacted. */
  readonly headers: Readonly<Record<string, string>>
  /** The operationId. Null if no operation of the contract matches. */
  readonly operation: string | null
  /** The caller's name. Null if there is none. */
  readonly caller: string | null
  /** The response's status. Null if no response was sent. */
  readonly status: number | null
  /** Time from the arrival of the request until the response is ready, milliseconds. */
  readonly durationMs: number
  /** `violation` if the request or the response breaks the contract. Warnings do not count. */
  readonly verdict: 'ok' | 'violation'
  readonly violations: readonly Violation[]
  /** The id of the injected fault. */
  readonly fault: string | null
  /** The applied preferences, as in `Preference-Applied`. */
  readonly preference: string | null
  /** An explanation that the response does not contain. */
  readonly note: string | null
}

/** A filter of entries. An entry must match every property that is given. */
export interface JournalFilter {
  /** An operationId. */
  readonly operation?: string
  readonly status?: number
  /** A caller's name. */
  readonly caller?: string
  readonly verdict?: 'ok' | 'violation'
}

/** The options of a wait for entries. */
export interface JournalWait {
  /** Number of entries that must match, from 0. */
  readonly atLeast: number
  /** The longest wait, milliseconds. */
  readonly withinMs: number
  /** Returns a signal that ends the wait early. Called only if there is a wait. */
  readonly createSignal?: () => AbortSignal
}

/** The limits of a journal. The oldest entries beyond them are dropped. */
export interface JournalLimits {
  /** Number of entries. Default 1,000. */
  readonly maxEntries: number
  /** Approximate size of all entries, bytes. Default 4 MiB. */
  readonly maxBytes: number
}

/** The default limits of a journal. */
export const defaultJournalLimits: JournalLimits = { maxEntries: 1000, maxBytes: 4 * 1024 * 1024 }

/** Called with every entry when it is recorded. */
export type JournalListener = (entry: JournalEntry) => void

/** Tells whether an entry matches a filter. */
function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return (
    (filter.operation === undefined || entry.operation === filter.operation) &&
    (filter.status === undefined || entry.status === filter.status) &&
    (filter.caller === undefined || entry.caller === filter.caller) &&
    (filter.verdict === undefined || entry.verdict === filter.verdict)
  )
}

/** The journal of one sandbox since its last reset. */
export class Journal {
  readonly #limits: JournalLimits
  readonly #listeners = new Set<JournalListener>()
  /** Oldest first. */
  #entries: SizedEntry[] = []
  #bytes = 0
  #evicted = 0
  /** Number of entries that were ever recorded. Entries are numbered from 1. */
  #recorded = 0

  constructor(limits: JournalLimits = defaultJournalLimits) {
    this.#limits = limits
  }

  /** Number of entries that were dropped since the journal was last cleared. */
  get evicted(): number {
    return this.#evicted
  }

  /** The number of the newest entry, from 1. 0 if none was ever recorded. */
  get newest(): number {
    return this.#recorded
  }

  /** Returns the number of an entry. 0 if the journal does not contain it. */
  numberOf(id: string): number {
    const index = this.#entries.findIndex(({ entry }) => entry.id === id)
    return index === -1 ? 0 : this.dropped + index + 1
  }

  /**
   * Returns the entry that follows a number: the entry, its number, and the number of entries in between that were dropped or cleared.
   *
   * @returns Undefined if there is none.
   */
  next(number: number): { readonly entry: JournalEntry; readonly number: number; readonly missed: number } | undefined {
    const missed = Math.max(0, this.dropped - number)
    const following = this.#entries[number + missed - this.dropped]
    return following && { entry: following.entry, number: number + missed + 1, missed }
  }

  /** Number of all recorded entries that were dropped or cleared. */
  get dropped(): number {
    return this.#recorded - this.#entries.length
  }

  /** Records a request. */
  record(entry: JournalEntry): void {
    const size = sizeOf(entry)
    this.#entries.push({ entry, size })
    this.#recorded++
    this.#bytes += size
    const { maxBytes, maxEntries } = this.#limits
    while (this.#entries.length > maxEntries || (this.#bytes > maxBytes && this.#entries.length > 1)) this.#dropOldest()
    for (const listener of this.#listeners) listener(entry)
  }

  /** Returns the entries that match a filter, oldest first. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    return this.#entries.map(({ entry }) => entry).filter((entry) => matches(entry, filter))
  }

  /** Returns an entry. Undefined if the journal does not contain it. */
  entry(id: string): JournalEntry | undefined {
    return this.#entries.find(({ entry }) => entry.id === id)?.entry
  }

  /** Waits until enough entries match. @returns Whether enough matched in time. */
  async wait(filter: JournalFilter, { atLeast, createSignal, withinMs }: JournalWait): Promise<boolean> {
    const isSatisfied = (): boolean => this.entries(filter).length >= atLeast
    if (isSatisfied()) return true
    const signal = createSignal?.()
    if (signal?.aborted) return false
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        stopListening()
        signal?.removeEventListener('abort', finish)
        resolve(isSatisfied())
      }
      const timer = setTimeout(finish, withinMs)
      const stopListening = this.listen((entry) => {
        if (matches(entry, filter) && isSatisfied()) finish()
      })
      signal?.addEventListener('abort', finish)
    })
  }

  /** Adds a listener. @returns A function that removes it. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Removes all entries and resets `evicted`. Listeners stay. */
  clear(): void {
    this.#entries = []
    this.#bytes = 0
    this.#evicted = 0
  }

  #dropOldest(): void {
    this.#bytes -= this.#entries.shift()?.size ?? 0
    this.#evicted++
  }
}

/** An entry with its approximate size in bytes. */
interface SizedEntry {
  readonly entry: JournalEntry
  readonly size: number
}

/** Estimates the size of an entry in bytes: the parts that a client controls, and a constant for the rest. */
function sizeOf(entry: JournalEntry): number {
  let size = 400 + entry.url.length
  for (const name in entry.headers) size += name.length + (entry.headers[name]?.length ?? 0)
  for (const violation of entry.violations) size += violation.message.length
  return size
}
