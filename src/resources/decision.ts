/** The types of decisions: the role of each operation, or the reason why it is mocked. */
import type { Operation } from '../contract/contract.js'
import type { RoleHandler } from './role-handler-types.js'
import type { RoleName } from './roles/role-name.js'
import type { RoleMatch } from './roles/role.js'

/** The role of an operation, or the reason why it has none. */
export type Decision = StatefulDecision | MockedDecision

/** An operation that has a role. */
export interface StatefulDecision {
  readonly operation: Operation
  readonly role: RoleName
  readonly collection: string
  readonly match: RoleMatch
  readonly handler: RoleHandler
}

/** An operation that is mocked. */
interface MockedDecision {
  readonly operation: Operation
  readonly role: 'mocked'
  /** The reason, as a clause. */
  readonly reason: string
}
