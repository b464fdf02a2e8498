/** Adds to the handler of a role what the contract documents beside it: conditions, parents that must exist, and records that go with their parent. */
import { type Contract, documentedResponse, type Operation } from '../../contract/contract.js'
import { parameterNames, shapeOf } from '../../contract/path-template.js'
import type { HttpEffect } from '../explanation.js'
import { operationOverrideOf } from '../read-overrides.js'
import { createRecords, entriesOf, withRemoved } from '../records/records.js'
import { everyone, recordsOf, type State, withRecords } from '../records/state.js'
import { findRecord, parentIn, pathValue, type Target } from '../roles/find-record.js'
import type { MatchedRole, RoleHandler } from '../roles/role.js'
import { documentsTag, findConditions, takesHeader, withConditions } from './conditions.js'

/** The header parameters that carry the key of a request, in lower case. */
export const keyHeaders = ['idempotency-key', 'x-idempotency-key'] as const

/** Returns the effect that a header parameter has. Undefined: none. */
export const effectOfHeader = (effects: readonly HttpEffect[], name: string): HttpEffect | undefined =>
  effects.find((effect) =>
    effect === 'idempotency' ? keyHeaders.some((key) => key === name.toLowerCase()) : effect === name.toLowerCase(),
  )

/** A collection, and the roles of its operations. */
interface StatefulCollection {
  readonly name: string
  readonly model: Target['model']
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

interface Effective {
  readonly httpEffects: readonly HttpEffect[]
  readonly handler: RoleHandler
}

/** Creates a function that returns the handler of an operation, with its effects. @param collections - All of the contract. */
export function createEffects(
  contract: Contract,
  collections: readonly StatefulCollection[],
): (collection: StatefulCollection, operation: Operation, matched: MatchedRole) => Effective {
  // As the item path shows them: other paths of a collection may have other parents.
  const targets = collections.map(({ model, name }) => ({
    collection: name,
    model: { ...model, parents: model.itemParents },
  }))
  return ({ matches, name }, operation, { match, model, role }) => {
    const { off } = operationOverrideOf(operation)
    const isTagged = [...matches].some(
      ([each, { role: other }]) => other.name !== 'list' && documentsTag(contract, each),
    )
    const conditions = off.has('etag') ? [] : findConditions(contract, operation, role.name, isTagged)
    const isKeyed =
      !off.has('idempotency') && operation.method !== 'GET' && keyHeaders.some((key) => takesHeader(operation, key))
    const isParentNeeded = !off.has('parent') && documentedResponse(operation, 404) !== undefined
    const parents = isParentNeeded ? targets.filter((other) => isBelow(operation.path, other)) : []
    const cascades = role.name === 'remove' && !off.has('cascade')
    const children = cascades ? targets.filter((other) => isBelow(other.model.itemPath, { model })) : []
    const target = { collection: name, model }
    let handler = match.createHandler(name)
    if (children.length > 0) handler = withCascade(target, children, handler)
    if (conditions.length > 0) handler = withConditions(target, operation, role.name, conditions, handler)
    if (parents.length > 0) handler = withParents(operation, parents, handler)
    const httpEffects: readonly HttpEffect[] = [
      ...conditions,
      ...(isKeyed ? (['idempotency'] as const) : []),
      ...(parents.length > 0 ? (['parent'] as const) : []),
      ...(children.length > 0 ? (['cascade'] as const) : []),
      ...(match.httpEffects ?? []),
    ]
    return { httpEffects, handler }
  }
}

const shape = (path: string): string => shapeOf(path).replace(/\/$/u, '')

/** Tells whether a path lies below the records of a collection. Names of parameters do not count. */
const isBelow = (path: string, { model }: Pick<Target, 'model'>): boolean =>
  shape(path).startsWith(`${shape(model.itemPath)}/`)

/** Refuses a request below a record that does not exist, or that the caller has no access to. */
function withParents(operation: Operation, parents: readonly Target[], handler: RoleHandler): RoleHandler {
  const own = parameterNames(operation.path)
  // A request to an operation without security names no caller, so it cannot show that it has access.
  const isOpen = operation.security.length === 0
  return (state, caller, request, context) => {
    for (const parent of parents) {
      const names = parameterNames(parent.model.itemPath)
      const path = Object.fromEntries(names.map((name, at) => [name, pathValue(request, own[at] ?? '')]))
      const found = findRecord(parent, state, isOpen ? everyone : caller, { ...request, path })
      if ('error' in found) return found
    }
    return handler(state, caller, request, context)
  }
}

/** Removes the records below a removed one, at every depth: the paths of all of them begin with its path. */
function withCascade(target: Target, children: readonly Target[], handler: RoleHandler): RoleHandler {
  const { idProperty, itemParents } = target.model
  return (state, caller, request, context) => {
    const outcome = handler(state, caller, request, context)
    const removed = findRecord(target, state, caller, request)
    if ('error' in outcome || 'error' in removed || !outcome.next) return outcome
    const values = [...itemParents.map((parent) => parentIn(removed, parent)), removed.record[idProperty]].map(String)
    return { ...outcome, next: children.reduce((next, child) => withoutBelow(next, child, values), outcome.next) }
  }
}

/** Removes the records of a collection whose first parents have some values. */
function withoutBelow(state: State, { collection, model }: Target, values: readonly string[]): State {
  const records = recordsOf(state, collection)
  const isBelowThem = (entry: Parameters<typeof parentIn>[0]): boolean =>
    values.every((value, at) => {
      const parent = model.itemParents[at]
      return parent !== undefined && String(parentIn(entry, parent)) === value
    })
  const all = [...entriesOf(records)]
  const gone = new Set(all.filter(isBelowThem))
  if (gone.size === 0) return state
  const kept = all.filter((entry) => !gone.has(entry))
  const removed = withRemoved(
    records.removed,
    [...gone].map(({ key }) => key),
  )
  const { lastNumber } = records
  return withRecords(state, collection, { ...createRecords(kept, lastNumber, lastNumber === 0), removed })
}
