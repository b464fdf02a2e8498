/** The state as an immutable value: callers, and the records of each collection. */
import type { GeneratedRecords } from '../generated/generated-records.js'
import { noRecords, type Records } from './records.js'

export interface Caller {
  readonly name: string
  /** By security scheme. A credential for every scheme has an empty one, and is then the only one. */
  readonly tokens: ReadonlyMap<string, string>
  /** The ids of the caller's own records, by collection. Undefined: none. */
  readonly records?: ReadonlyMap<string, string> | undefined
}

/** The token of a caller that accepts every token that no other caller has. */
export const anyToken = '*'

/** The caller that represents all callers. It has access to every record. No caller of a fixture can have this name. */
export const everyone: Caller = Object.freeze({ name: '*', tokens: new Map() })

/** The source of a state: a fixture, null for an inline document; or generated records. */
export type FixtureOrigin = ({ readonly fixture: string | null } | GeneratedRecords) & { readonly sha256: string }

export interface State {
  readonly description: string | undefined
  readonly callers: readonly Caller[]
  readonly origin: FixtureOrigin | undefined
  /** Records by the collection's name, in the order of the contract. */
  readonly collections: ReadonlyMap<string, Records>
}

/** Returns the records of a collection. A collection that the state does not have is empty. */
export const recordsOf = (state: State, collection: string): Records => state.collections.get(collection) ?? noRecords

/** Returns the state with other records in a collection: the state itself if they are the same. */
export function withRecords(state: State, collection: string, records: Records): State {
  if (state.collections.get(collection) === records) return state
  return { ...state, collections: new Map(state.collections).set(collection, records) }
}

export const withOrigin = (state: State, origin: FixtureOrigin | undefined): State => ({ ...state, origin })

export const countRecords = ({ collections }: State): Readonly<Record<string, number>> =>
  Object.fromEntries([...collections].map(([name, { size }]) => [name, size]))
