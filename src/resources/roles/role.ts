/** What an operation does to a collection. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView, ViewOperation, ViewParameter } from '../contract-view.js'
import type { Handler } from '../handler.js'
import type { ListBody } from '../infer/list-body.js'
import type { Parent } from '../infer/parents.js'
import type { RecordBody } from '../infer/record-body.js'
import type { RecordModel } from '../infer/record-model.js'
import type { IdScheme } from '../schema/id-scheme.js'

/** The names of the roles. */
export type RoleName = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'

/** A collection before its operations are fitted. */
export interface Draft {
  readonly contract: ContractView
  /** Path of the collection, such as `/pets`. */
  readonly path: string
  /** Path of a record, such as `/pets/{petId}`. */
  readonly itemPath: string
  /** The path parameter that holds the id. */
  readonly parameter: ViewParameter
  /** The record property that is the id. */
  readonly idProperty: string
  /** The path parameters before the last, in order. */
  readonly parents: readonly Parent[]
  readonly model: RecordModel
  /** How ids are made. Undefined: no way is known. */
  readonly ids: IdScheme | undefined
  /** The success body of the listing, or why it cannot be built. Undefined: there is none. */
  readonly listBody: (ListBody & { readonly record: RecordBody }) | string | undefined
  /** The success body of the read operation. Undefined: there is none. */
  readonly readBody: RecordBody | undefined
  /** The read operation, then the listing, as far as they are documented: their examples show what a record holds. */
  readonly shown: readonly ShownRecord[]
}

/** An operation whose response shows a record. */
export interface ShownRecord {
  readonly operation: ViewOperation
  readonly status: string
  fromBody(body: unknown): JsonObject | undefined
}

/** An operation that has a role. */
export interface Fit {
  /** What query parameters do, by name. */
  readonly acts?: ReadonlyMap<string, string>
  /** Properties that are filled from an example. */
  readonly filled?: readonly string[]
  /** Makes the handler. @param collection - The collection's name. */
  bind(collection: string): Handler
}

/** A role. */
export interface Role {
  readonly name: RoleName
  /** Whether the path is that of the collection or that of a record. */
  readonly place: 'collection' | 'item'
  readonly methods: readonly string[]
  /** Fits an operation. @returns Why it does not fit, as a clause; null if another role may. */
  fit(draft: Draft, operation: ViewOperation): Fit | string | null
}
