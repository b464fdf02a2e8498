import type { JsonObject } from '../../documents/object.js'

/** The value of a property before and after a change. A side without the property is missing. */
export interface PropertyChange {
  readonly before?: unknown
  readonly after?: unknown
}

export type RecordChanges = Readonly<Record<string, PropertyChange>>

/**
 * The changes of a collection by one request, by key: records as a fixture has them, and the changed properties before and after. At most 20 of
 * each kind.
 */
export interface RecordsChanged {
  readonly added: Readonly<Record<string, JsonObject>>
  readonly removed: Readonly<Record<string, JsonObject>>
  readonly changed: Readonly<Record<string, Readonly<Record<'after' | 'before', JsonObject>>>>
  readonly counts: Readonly<Record<'added' | 'changed' | 'removed', number>>
}

/** The differences in a collection. Records are named by their id, and by their parents if they have any. */
export interface CollectionDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Properties by record. `$access` and `$parents` count as properties. */
  readonly changed: Readonly<Record<string, RecordChanges>>
  /** Records that were added and removed since. Only if there are some, and the lists were limited. */
  readonly gone?: readonly string[]
  /** Number of records of each kind. Only if the lists were limited. */
  readonly counts?: Readonly<Record<'added' | 'changed' | 'removed', number>>
}
