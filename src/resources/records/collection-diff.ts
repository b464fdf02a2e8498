/** A property before and after. A side that lacks it is missing. */
export interface PropertyChange {
  readonly before?: unknown
  readonly after?: unknown
}

/** The differences in a collection. Records are named by their id, and where they have parents by these too. */
export interface CollectionDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Properties by record. `$access` and `$parents` count as properties. */
  readonly changed: Readonly<Record<string, Readonly<Record<string, PropertyChange>>>>
}
