/** The collections of a contract, and the role of each operation. */
import type { ContractView, ViewOperation } from './contract-view.js'
import type { Handler } from './handler-types.js'
import { createCollectionModel } from './infer/collection-model.js'
import type { CollectionModel } from './infer/collection-model.js'
import type { Candidate } from './infer/conflicting-collections.js'
import { findConflicts } from './infer/conflicting-collections.js'
import type { PathPair } from './infer/paths.js'
import { nameCollections, pairPaths } from './infer/paths.js'
import type { MatchedRole, RoleMatch, RoleName } from './roles/role.js'
import { matchRole, roles } from './roles/roles.js'

/** A collection of a contract. */
export interface Collection {
  readonly name: string
  readonly model: CollectionModel
  /** Its operations by role. Where several have a role, the first. */
  readonly operations: ReadonlyMap<RoleName, ViewOperation>
}

/** The role of an operation, or the reason why it has none. */
export type Decision = StatefulDecision | MockedDecision

/** An operation that has a role. */
export interface StatefulDecision {
  readonly operation: ViewOperation
  readonly role: RoleName
  readonly collection: string
  readonly match: RoleMatch
  readonly handler: Handler
}

/** An operation that is mocked. */
interface MockedDecision {
  readonly operation: ViewOperation
  readonly role: 'mocked'
  /** Why, as a clause. */
  readonly reason: string
}

/** The resources of a contract. */
export interface Resources {
  readonly contract: ContractView
  /** In the spec's order. */
  readonly collections: readonly Collection[]
  /** By operation, in the spec's order. Every operation has one. */
  readonly decisions: ReadonlyMap<ViewOperation, Decision>
}

interface MatchedPair extends Candidate {
  readonly matches: ReadonlyMap<ViewOperation, MatchedRole>
}

/** Infers the collections of a contract and the roles of its operations. An operation is stateful only if a role fits it; nothing is guessed. */
export function inferResources(contract: ContractView): Resources {
  const { pairs, unpaired } = pairPaths(contract.operations)
  const reasons = new Map(unpaired)
  const candidates = pairs.flatMap((pair) => matchPair(contract, pair, reasons) ?? [])
  const conflicts = findConflicts(candidates)
  for (const [{ matches }, reason] of conflicts) for (const operation of matches.keys()) reasons.set(operation, reason)
  const chosen = candidates.filter((candidate) => !conflicts.has(candidate))
  const names = nameCollections(chosen.map(({ model }) => model.path))
  const named = chosen.map((candidate) => ({
    ...candidate,
    name: names.get(candidate.model.path) ?? candidate.model.path,
  }))

  const stateful = new Map<ViewOperation, StatefulDecision>()
  for (const { matches, name } of named)
    for (const [operation, { match, role }] of matches)
      stateful.set(operation, {
        operation,
        role: role.name,
        collection: name,
        match,
        handler: match.createHandler(name),
      })
  return {
    contract,
    collections: named.map(({ model, matches, name }) => ({
      name,
      model,
      operations: operationsByRole(matches),
    })),
    decisions: new Map(
      contract.operations.map((operation) => [
        operation,
        stateful.get(operation) ?? { operation, role: 'mocked', reason: reasons.get(operation) ?? 'no role fits it' },
      ]),
    ),
  }
}

/** The first operation of each role, in the order of the roles. */
function operationsByRole(matches: MatchedPair['matches']): ReadonlyMap<RoleName, ViewOperation> {
  const matched = [...matches]
  return new Map(
    roles.flatMap(({ name }) => {
      const found = matched.find(([, { role }]) => role.name === name)
      return found ? [[name, found[0]] as const] : []
    }),
  )
}

/** Matches the operations of a pair of paths with roles. @returns undefined if none is stateful; then each has a reason. */
function matchPair(
  contract: ContractView,
  pair: PathPair,
  reasons: Map<ViewOperation, string>,
): MatchedPair | undefined {
  const all = [...pair.onCollection, ...pair.onItem]
  const model = createCollectionModel(contract, pair)
  if (typeof model === 'string') {
    for (const operation of all) reasons.set(operation, model)
    return undefined
  }
  const matches = new Map<ViewOperation, MatchedRole>()
  for (const operation of all) {
    const found = matchRole(model, operation, pair.onItem.includes(operation) ? 'item' : 'collection')
    if (typeof found === 'string') reasons.set(operation, found)
    else matches.set(operation, found)
  }
  const incoherent = pair.onCollection.find((operation) => isListOrCreate(operation) && !matches.has(operation))
  if (incoherent) {
    for (const operation of matches.keys())
      reasons.set(operation, `${incoherent.id} is mocked, and so is its whole collection`)
    return undefined
  }
  if (matches.size === 0) return undefined
  return {
    model,
    matches,
    creates: [...matches.values()].some(({ role }) => role.name === 'create'),
    hasItemOperations: [...matches.values()].some(({ role }) => role.place === 'item'),
  }
}

const isListOrCreate = ({ method }: ViewOperation): boolean => method === 'GET' || method === 'POST'
