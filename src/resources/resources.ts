/** The collections of a contract, and the role of each operation. */
import type { Contract, Operation } from '../contract/contract.js'
import { checkOverrides } from './check-overrides.js'
import type { DocumentProblem } from './document/document-problem.js'
import type { RoleName } from './explanation.js'
import { decide } from './http-effects.js'
import { type CollectionModel, createModelsByOperation } from './infer/collection-model.js'
import { type CollectionPaths, groupPaths, nameCollections } from './infer/collection-paths.js'
import { operationOverrideOf, rolePlaces } from './read-overrides.js'
import { matchRole, roles } from './roles/match-role.js'
import type { Decision, StatefulDecision, MatchedRole } from './roles/role.js'

export interface Collection {
  readonly name: string
  readonly model: CollectionModel
  /** Its operations by role. If several have the same role, the first of them. */
  readonly operations: ReadonlyMap<RoleName, Operation>
}

export interface Resources {
  readonly contract: Contract
  /** In the spec's order. */
  readonly collections: readonly Collection[]
  /** By operation, in the spec's order. Every operation has one. */
  readonly decisions: ReadonlyMap<Operation, Decision>
  /** The problems of `x-double`: values that cannot be applied. Paths are those of the spec. */
  readonly problems: readonly DocumentProblem[]
}

interface MatchedCollection extends Candidate {
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

/**
 * Infers the collections of a contract and the roles of its operations. An operation is stateful only if a role fits it, or `x-double` gives
 * it a role. A collection is mocked as a whole if an operation of its path fits no role, unless a handler answers that operation.
 *
 * @param handled - The names of the operations that handlers of the user answer. Default: none.
 */
export function inferResources(contract: Contract, handled: ReadonlySet<string> = new Set()): Resources {
  const { groups, ungrouped } = groupPaths(contract.operations)
  const reasons = new Map(ungrouped)
  const candidates = groups.flatMap((group) => matchCollection(contract, group, reasons, handled) ?? [])
  const conflicts = findConflictingCollections(candidates)
  for (const [{ matches }, reason] of conflicts) for (const operation of matches.keys()) reasons.set(operation, reason)
  const chosen = candidates.filter((candidate) => !conflicts.has(candidate))
  const declared = chosen.flatMap(({ declaredName }) => declaredName ?? [])
  const inferred = chosen.filter(({ declaredName }) => declaredName === undefined)
  const paths = inferred.map(({ model }) => model.path)
  const names = nameCollections(paths, declared)
  const named = chosen.map((candidate) => ({
    ...candidate,
    name: candidate.declaredName ?? names.get(candidate.model.path) ?? candidate.model.path,
  }))

  const stateful = new Map<Operation, StatefulDecision>()
  for (const collection of named)
    for (const [operation, matched] of collection.matches)
      stateful.set(operation, decide(collection, operation, matched, named))
  const decisions = new Map(
    contract.operations.map((operation) => {
      const reason = reasons.get(operation) ?? 'no role fits it'
      return [operation, stateful.get(operation) ?? { operation, role: 'mocked' as const, reason }] as const
    }),
  )
  const collections = named.map(({ model, matches, name }) => ({ name, model, operations: operationsByRole(matches) }))
  return {
    contract,
    collections,
    decisions,
    problems: checkOverrides(contract, decisions, (operation) => {
      const own = named.find(({ matches }) => matches.has(operation))
      return own && [...own.model.recordModel.properties.keys()]
    }),
  }
}

/** Finds the first operation of each role, in the order of the roles. */
function operationsByRole(matches: MatchedCollection['matches']): ReadonlyMap<RoleName, Operation> {
  const matched = [...matches]
  return new Map(
    roles.flatMap(({ name }) => {
      const found = matched.find(([, { role }]) => role.name === name)
      return found ? [[name, found[0]] as const] : []
    }),
  )
}

/** Matches the operations of a collection with roles. @returns Undefined if none is stateful. Each then has a reason. */
function matchCollection(
  contract: Contract,
  paths: CollectionPaths,
  reasons: Map<Operation, string>,
  handled: ReadonlySet<string>,
): MatchedCollection | undefined {
  const models = createModelsByOperation(contract, paths)
  const matches = new Map<Operation, MatchedRole>()
  for (const { operation, place } of paths.members) {
    const model = typeof models === 'string' ? models : models.seenBy.get(operation)
    const isMocked = operationOverrideOf(operation).role === 'mocked'
    const found = isMocked ? 'x-double says so' : typeof model === 'object' ? matchRole(model, operation, place) : model
    if (typeof found === 'object') matches.set(operation, found)
    else if (found !== undefined) reasons.set(operation, found)
  }
  const incoherent = paths.members.find(({ operation, place }) => {
    const isDocumented = operation.method === 'GET' || operation.method === 'POST'
    const isMeant = operationOverrideOf(operation).role !== 'mocked' && !handled.has(operation.id)
    return place === 'collection' && isDocumented && isMeant && !matches.has(operation)
  })
  if (incoherent) {
    const { id } = incoherent.operation
    const why = paths.name === undefined ? '' : ` (${reasons.get(incoherent.operation) ?? ''})`
    const reason = `${id} is mocked${why}, and so is its whole collection, unless it has a handler or x-double: mocked`
    for (const operation of matches.keys()) reasons.set(operation, reason)
    return undefined
  }
  if (matches.size === 0 || typeof models === 'string') return undefined
  return {
    model: models.whole,
    declaredName: paths.name,
    matches,
    creates: [...matches.values()].some(({ role }) => role.name === 'create'),
    hasItemOperations: [...matches.values()].some(({ role }) => rolePlaces[role.name] === 'item'),
  }
}

/** A collection whose operations have roles. */
interface Candidate {
  readonly model: CollectionModel
  /** The name that `x-double` gives. Undefined: the rules decide. */
  readonly declaredName: string | undefined
  readonly creates: boolean
  readonly hasItemOperations: boolean
}

/** Finds the collections that cannot be distinguished from others, with the reason as a clause. */
function findConflictingCollections<C extends Candidate>(candidates: readonly C[]): ReadonlyMap<C, string> {
  const reasons = new Map<C, string>()
  for (const candidate of candidates) {
    if (candidate.declaredName !== undefined) continue
    const group = candidates.filter((other) => sharesSchema(candidate.model, other.model))
    if (group.length === 1) continue
    const declared = group.find(({ declaredName }) => declaredName !== undefined)
    if (declared) {
      const name = declared.declaredName ?? ''
      reasons.set(candidate, `its records have the schema of those of ${name}; ${joinWith(name, candidate.model)}`)
      continue
    }
    const winner = onlyOne(group, (each) => each.creates) ?? onlyOne(group, (each) => each.hasItemOperations)
    if (winner === candidate) continue
    const others = group.filter((other) => other !== candidate).map(({ model }) => model.path)
    const { path } = winner?.model ?? group[0]?.model ?? candidate.model
    const join = joinWith(path.split('/').at(-1) ?? path, candidate.model)
    reasons.set(candidate, `its records have the schema of those of ${others.join(', ')}; ${join}`)
  }
  return reasons
}

/** Describes the `x-double` that would join a collection with others. */
function joinWith(name: string, { parents }: CollectionModel): string {
  const held = parents.filter(({ property }) => property !== undefined)
  const pairs = held.map(({ parameter, property }) => `${parameter}: ${property ?? ''}`).join(', ')
  const parts = [`collection: ${name}`, ...(held.length > 0 ? [`parents: {${pairs}}`] : [])]
  return `x-double: {${parts.join(', ')}} on each of the paths would join them`
}

const sharesSchema = ({ recordModel: one }: CollectionModel, { recordModel: other }: CollectionModel): boolean =>
  one.schemas.some((part) => other.schemas.includes(part))

function onlyOne<C>(group: readonly C[], isMeant: (candidate: C) => boolean): C | undefined {
  const meant = group.filter(isMeant)
  return meant.length === 1 ? meant[0] : undefined
}
