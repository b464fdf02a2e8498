/** The types of roles. A role is the effect of an operation on a collection. */
import type { Operation } from '../../contract/contract.js'
import type { CollectionModel } from '../infer/collection-model.js'
import type { QueryEffect } from '../list-query.js'
import type { RoleHandler } from '../role-handler-types.js'
import type { RoleName } from './role-name.js'

/** A match of an operation with a role. */
export interface RoleMatch {
  /** Effects of query parameters, by name. */
  readonly effects?: ReadonlyMap<string, QueryEffect>
  /** Lists the properties that are filled from an example. Takes long: the examples are validated. */
  filled?(): readonly string[]
  /** Creates the handler. @param collection - The collection's name. */
  createHandler(collection: string): RoleHandler
}

/** A role. */
export interface Role {
  readonly name: RoleName
  readonly methods: readonly string[]
  /** Matches an operation. @returns The reason why the role does not fit, as a clause; null if another role may. */
  match(model: CollectionModel, operation: Operation): RoleMatch | string | null
}

/** A role that fits an operation, and the match. */
export interface MatchedRole {
  readonly role: Role
  readonly match: RoleMatch
}
