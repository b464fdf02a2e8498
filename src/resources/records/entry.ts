/** The types of a record in a collection. */
import type { JsonObject } from '../../documents/object.js'

/** A record, with its access and its parents. */
export interface Entry {
  /** The key of the record: its id as text, and its parents if it has any. */
  readonly key: string
  /** The place in the order: ascending, with gaps. */
  readonly sequence: number
  /** Deeply frozen. */
  readonly record: JsonObject
  /** Names of callers. Undefined: every caller. */
  readonly access: readonly string[] | undefined
  /** Values of path parameters that are not properties of the record. */
  readonly parents: JsonObject | undefined
}

/** A record that has no place in the order yet. */
export type NewEntry = Omit<Entry, 'sequence'>
