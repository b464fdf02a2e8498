/** The roles, and the role of an operation: the first that fits. */
import type { ViewOperation } from '../contract-view.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { create } from './create.js'
import { list } from './list.js'
import { read } from './read.js'
import { remove } from './remove.js'
import { replace } from './replace.js'
import type { MatchedRole, Role, RoleMatch } from './role.js'
import { update } from './update.js'

/** In the order in which they are tried. */
export const roles: readonly Role[] = [list, create, read, replace, update, remove]

/** Finds the role of an operation. @returns Why it has none, as a clause. */
export function matchRole(
  model: CollectionModel,
  operation: ViewOperation,
  place: Role['place'],
): MatchedRole | string {
  for (const role of roles) {
    if (role.place !== place || !role.methods.includes(operation.method)) continue
    const match = role.match(model, operation)
    if (typeof match === 'string') return match
    if (match) return findIgnoredParameter(operation, match.acts) ?? { role, match }
  }
  return `no role is for ${operation.method} of a ${place === 'item' ? 'record' : 'collection'}`
}

/** Finds a required query parameter that is not acted on. @returns A clause that says so. */
function findIgnoredParameter(operation: ViewOperation, acts: RoleMatch['acts'] = new Map()): string | undefined {
  const ignored = operation.parameters.find(
    ({ in: place, name, required }) => place === 'query' && required && !acts.has(name),
  )
  return ignored && `its query parameter ${ignored.name} is required, and no rule says what it does`
}
