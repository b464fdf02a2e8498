/** The limits of a journal. */

/** The limits of a journal. The oldest entries beyond them are dropped. */
export interface JournalLimits {
  /** Number of entries. Default 1,000. */
  readonly maxEntries: number
  /** Approximate size of all entries, bytes. Default 32 MiB. */
  readonly maxBytes: number
}

/** The default limits of a journal. */
export const defaultJournalLimits: JournalLimits = { maxEntries: 1000, maxBytes: 32 * 1024 * 1024 }
