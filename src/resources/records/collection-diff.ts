/** A property before and after. A side that lacks it is missing. */
export interface PropertyChange {
  readonly before?: unknown
  readonly after?: unknown
}

/** The changed properties of a record, by name. */
export type RecordChanges = Readonly<Record<string, PropertyChange>>

/** The differences in a collection. Records are named by their id, and where they have parents by these too. */
export interface CollectionDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Properties by record. `$access` and `$parents` count as properties. */
  readonly changed: Readonly<Record<string, RecordChanges>>
  /** Number of records of each kind. Only if the lists were limited. */
  readonly counts?: Readonly<Record<'added' | 'changed' | 'removed', number>>
}
