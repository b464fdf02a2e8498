/** Finds the role of an operation: the first that fits. */
import type { Operation } from '../../contract/contract.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { operationOverrideOf, parameterOverrideOf, type RolePlace, rolePlaces } from '../read-overrides.js'
import { action } from './action.js'
import { create } from './create.js'
import { list } from './list.js'
import { read } from './read.js'
import { remove } from './remove.js'
import { replace } from './replace.js'
import type { MatchedRole, Role, RoleMatch } from './role.js'
import { update } from './update.js'

/** The roles in the order in which they are tried. */
export const roles: readonly Role[] = [list, create, read, replace, update, remove, action]

/** Finds the role of an operation: the one in `x-double`, else the first that fits. @returns Or the reason why it has none, as a clause. */
export function matchRole(model: CollectionModel, operation: Operation, place: RolePlace): MatchedRole | string {
  const declaredRole = operationOverrideOf(operation).role
  for (const role of roles) {
    const isMeant = declaredRole === undefined ? role.methods.includes(operation.method) : role.name === declaredRole
    if (rolePlaces[role.name] !== place || !isMeant) continue
    const match = role.match(model, operation)
    if (typeof match === 'string') return match
    if (match) return findIgnoredParameter(operation, match.effects) ?? { role, match, model }
    if (declaredRole !== undefined) return 'its request body need not be a whole record; use update'
  }
  const subject = place === 'collection' ? 'a collection' : 'a record'
  if (declaredRole !== undefined) return `${operation.path} is the path of ${subject}`
  return `no role is for ${operation.method} of ${subject}`
}

/** Finds a required query parameter without an effect. @returns A clause that names it. Undefined: there is none. */
function findIgnoredParameter(operation: Operation, effects: RoleMatch['effects'] = new Map()): string | undefined {
  const ignored = operation.parameters.find(
    (parameter) =>
      parameter.in === 'query' &&
      parameter.required &&
      !effects.has(parameter.name) &&
      parameterOverrideOf(parameter) !== 'ignore' &&
      operationOverrideOf(operation).role === undefined,
  )
  return ignored && `its query parameter ${ignored.name} is required, and its effect is not known`
}
