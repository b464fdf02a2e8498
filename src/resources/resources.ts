/** The collections of a contract, and the role of each operation. */
import type { Contract, Operation } from '../contract/contract.js'
import { asSegments, literalSegments } from '../contract/path-template.js'
import { once } from '../once.js'
import { checkOverrides } from './check-overrides.js'
import type { DocumentProblem } from './document/document-problem.js'
import type { CollectionRole } from './explanation.js'
import { decide, decideMocked } from './http-effects.js'
import { type CollectionModel, createModelsByOperation } from './infer/collection-model.js'
import { type CollectionMember, type CollectionPaths, groupPaths, nameCollections } from './infer/collection-paths.js'
import {
  type Candidate,
  isViewPath,
  namesRecord,
  parentsIn,
  resolveSharedRecords,
  sharesRecord,
  showsOneOf,
  showsRecordOf,
} from './infer/same-record.js'
import { successResponseOf } from './infer/success-response.js'
import { isSameName, singularsOf } from './names.js'
import { operationOverrideOf, pathOverrideOf } from './read-overrides.js'
import { changedStatuses } from './roles/change-record.js'
import { matchRole, roles } from './roles/match-role.js'
import type { Decision, StatefulDecision, MatchedRole } from './roles/role.js'

export interface Collection {
  readonly name: string
  readonly model: CollectionModel
  /** Its operations by role. If several have the same role, the first of them. */
  readonly operations: ReadonlyMap<CollectionRole, Operation>
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
  readonly paths: CollectionPaths
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

/**
 * Infers the collections of a contract and the roles of its operations. An operation is stateful only if a role fits it, or `x-double` gives
 * it a role.
 */
export function inferResources(contract: Contract): Resources {
  const { groups, ungrouped } = groupPaths(contract.operations)
  const inference = new Inference(contract, ungrouped)
  const chosen = inference.choose(groups)
  const declared = chosen.flatMap(({ declaredName }) => declaredName ?? [])
  const inferred = chosen.filter(({ declaredName }) => declaredName === undefined).map(({ model }) => model)
  const names = nameCollections(inferred, declared)
  const collections = chosen.map((candidate) => ({
    ...candidate,
    name: candidate.declaredName ?? names.get(candidate.model.path) ?? candidate.model.path,
    operations: operationsByRole(candidate.matches),
  }))
  const stateful = new Map<Operation, StatefulDecision>()
  for (const collection of collections)
    for (const [operation, matched] of collection.matches)
      stateful.set(operation, decide(collection, operation, matched, collections))
  const decisions = new Map(
    contract.operations.map((operation) => {
      const reason = inference.reasons.get(operation) ?? 'no role fits it'
      return [operation, stateful.get(operation) ?? decideMocked(operation, reason, collections)] as const
    }),
  )
  return { contract, collections, decisions, problems: checkOverrides(contract, decisions, collections) }
}

function operationsByRole(matches: MatchedCollection['matches']): ReadonlyMap<CollectionRole, Operation> {
  const matched = [...matches].filter(([, { model }]) => !model.isOwn)
  return new Map(
    roles.flatMap(({ name }) => {
      const found = matched.find(([, { role }]) => role.name === name)
      return found ? [[name, found[0]] as const] : []
    }),
  )
}

/** Tells whether a path is that of the caller. `/users/current` is, and `/periods/current` is not. */
function isOwnPath(path: string): boolean {
  const [noun = '', last = ''] = asSegments(path).split('/').slice(-2)
  return (
    /^(?:@?me|user|account)$/u.test(last) ||
    (/^(?:self|current)$/u.test(last) && /(?:accounts|customers|members|people|profiles|users)$/iu.test(noun))
  )
}

const changingRoles: ReadonlySet<string> = new Set(['replace', 'update', 'remove', 'action'])

/** Returns the reason why a collection without a listing or a path of a record, or a singleton, is none, as a clause. */
function whyUnfit({ changes, declaredName, matches, model, paths }: MatchedCollection): string | undefined {
  const operations = paths.members.map(({ operation }) => operation)
  if (declaredName !== undefined || operations.some((each) => pathOverrideOf(each).isSingleton)) return undefined
  const used = new Set<string>([...matches.values()].map(({ role }) => role.name))
  const isDeclared = operations.some((each) => operationOverrideOf(each).role === 'list')
  if (model.kind === 'list' && !(used.has('list') && (isDeclared || used.has('create'))))
    return 'no path names a record, and not both the listing and the create fit'
  const isUnfit = paths.members.some(
    ({ operation, place }) =>
      place === 'item' && ['PUT', 'PATCH'].includes(operation.method) && !matches.has(operation),
  )
  // Records with a listing at another path need no change.
  const isAlone = model.kind !== 'singleton' && !used.has('list') && !used.has('create')
  if ((isUnfit && (isAlone || model.kind === 'item')) || (isAlone && !(changes && used.has('read'))))
    return 'there is no listing, and not a read and every change of a record fit'
  if (model.kind !== 'singleton') return undefined
  if (operations.some((each) => isOwnPath(each.path) && each.secured))
    return 'it shows the record of its caller, and no collection has such records'
  const ids = ['id', ...singularsOf(paths.segment).map((singular) => `${singular} id`)]
  const isOneOf = ({ parameters }: Operation): boolean =>
    parameters.some((each) => each.in === 'query' && ids.some((name) => isSameName(each.name, name)))
  if (operations.some(isOneOf)) return 'a query parameter names one of several records'
  const isAccepted = (operation: Operation): boolean => {
    const { json, status } = successResponseOf(operation, ...changedStatuses)
    const shows = json && showsRecordOf(json.schema, model.recordModel.schemas)
    return operation.method === 'PUT' && status === 202 && !shows
  }
  if (operations.some(isAccepted)) return 'its change is accepted (202), and it is not known when it is done'
  if (used.has('read') && (used.has('update') || used.has('replace'))) return undefined
  return 'its path names no record, and it is not one object that a change shows and writes'
}

class Inference {
  readonly #contract: Contract
  /** The reasons why operations are mocked, as clauses. */
  readonly reasons: Map<Operation, string>

  readonly #listings = once(() =>
    this.#contract.operations
      .map((operation) => ({
        operation,
        path: asSegments(operation.path),
        json: successResponseOf(operation, '200').json,
      }))
      .filter(({ operation }) => operation.method === 'GET'),
  )

  constructor(contract: Contract, ungrouped: ReadonlyMap<Operation, string>) {
    this.#contract = contract
    this.reasons = new Map(ungrouped)
  }

  /** Chooses the collections: those that can be told apart and, of the new kinds, those that are coherent. */
  choose(groups: readonly CollectionPaths[]): readonly MatchedCollection[] {
    const candidates = groups.flatMap((group) => {
      const part = this.#match(group)
      // The record of the caller may be the only one that changes.
      const found = part?.model.kind === 'item' ? this.#withOwnRecord(part, []) : part
      const reason = found && whyUnfit(found)
      if (!found || reason === undefined) return found ?? []
      this.#mock(found, reason)
      return []
    })
    const { conflicts, joined } = resolveSharedRecords(candidates)
    for (const [candidate, reason] of conflicts) this.#mock(candidate, reason)
    const kept = candidates.filter((candidate) => !conflicts.has(candidate) && !joined.has(candidate))
    const whole = kept.map((main) => {
      const others = [...joined].filter(([, target]) => target === main).map(([other]) => other)
      return others.reduce((into, other) => this.#join(into, other.paths.members, other.model.path) ?? into, main)
    })
    const coherent = this.#withoutIncoherent(whole.map((each) => this.#withViews(each, whole)))
    return coherent.map((each) => this.#withOwnRecord(each, coherent))
  }

  /** Matches the operations of a group with roles. @returns Undefined if none is stateful. Each then has a reason. */
  #match(paths: CollectionPaths): MatchedCollection | undefined {
    const models = createModelsByOperation(this.#contract, paths)
    const matches = new Map<Operation, MatchedRole>()
    for (const { operation, place } of paths.members) {
      const model = typeof models === 'string' ? models : models.seenBy.get(operation)
      const isMocked = operationOverrideOf(operation).role === 'mocked'
      const found = isMocked
        ? 'x-double says so'
        : typeof model === 'object'
          ? matchRole(model, operation, place === 'own' ? 'item' : place)
          : model
      if (typeof found === 'object') matches.set(operation, found)
      else if (found !== undefined) this.reasons.set(operation, found)
    }
    if (matches.size === 0 || typeof models === 'string') return undefined
    const used = [...matches.values()].map(({ role }) => role.name)
    return {
      model: models.whole,
      paths,
      declaredName: paths.name,
      isSeparate: paths.members.some(({ operation }) => pathOverrideOf(operation).isSeparate),
      matches,
      creates: used.includes('create'),
      changes: used.some((role) => changingRoles.has(role)),
    }
  }

  #mock({ matches }: MatchedCollection, reason: string): void {
    for (const operation of matches.keys()) this.reasons.set(operation, reason)
  }

  /** Adds paths to a collection. @returns Undefined if they do not fit. */
  #join(main: MatchedCollection, members: readonly CollectionMember[], path: string): MatchedCollection | undefined {
    const parents = parentsIn(path, main.model)
    const isOnItem = ({ place }: CollectionMember): boolean => place === 'item' || place === 'action'
    if (!parents || members.some((each) => isOnItem(each) && !namesRecord(each.operation, main.model))) return undefined
    const added = members.map((member) => ({ parents, ...member }))
    const joined = this.#match({ ...main.paths, members: [...main.paths.members, ...added] })
    const fits = joined && [...main.matches.keys()].every((operation) => joined.matches.has(operation))
    return fits ? joined : undefined
  }

  /** Adds the listings of other paths that show the records of a collection, if it is the only one with such records. */
  #withViews(main: MatchedCollection, all: readonly MatchedCollection[]): MatchedCollection {
    if (main.model.kind === 'singleton') return main
    const { path: mainPath, recordModel } = main.model
    const isOnly = all.every((other) => other === main || !sharesRecord(main, other))
    const names = new Set([main.declaredName, literalSegments(mainPath).at(-1), literalSegments(mainPath).join('/')])
    const used = new Set(all.flatMap(({ matches }) => [...matches.keys()]))
    return this.#listings().reduce((into, { json, operation, path }) => {
      if (used.has(operation)) return into
      const { parents, view } = pathOverrideOf(operation)
      if (view !== undefined)
        return (names.has(view) && this.#join(into, [{ operation, place: 'collection', parents }], '')) || into
      if (!isOnly || !isViewPath(path, main.model) || !json || !showsOneOf(json.schema, recordModel.schemas))
        return into
      return this.#join(into, [{ operation, place: 'collection' }], path) ?? into
    }, main)
  }

  /** Leaves out collections of a new kind if an operation that documents a read, a listing or a create of the same record cannot act. */
  #withoutIncoherent(candidates: readonly MatchedCollection[]): readonly MatchedCollection[] {
    const matched = new Set(candidates.flatMap(({ matches }) => [...matches.keys()]))
    return candidates.filter((candidate) => {
      const { kind, recordModel } = candidate.model
      if (candidate.declaredName !== undefined || (kind !== 'list' && kind !== 'item')) return true
      const incoherent = this.#contract.operations.find((operation) => {
        const { json, status } = successResponseOf(operation)
        const isAction = status === 200 && /\}\/[^/{}]+$/u.test(asSegments(operation.path))
        const shows = operation.method === 'GET' || (operation.method === 'POST' && !isAction)
        const isMeant = operationOverrideOf(operation).role !== 'mocked'
        return shows && isMeant && !matched.has(operation) && json && showsOneOf(json.schema, recordModel.schemas, 1)
      })
      if (incoherent) this.#mock(candidate, `${incoherent.id} shows the same records, and is mocked`)
      return !incoherent
    })
  }

  /** Adds the operations on the record of the caller, such as `GET /me`, if they show the records of this collection alone. */
  #withOwnRecord(main: MatchedCollection, all: readonly MatchedCollection[]): MatchedCollection {
    const { kind, parents, recordModel } = main.model
    if (kind === 'singleton' || parents.length > 0) return main
    const used = new Set(all.flatMap(({ matches }) => [...matches.keys()]))
    const own = this.#contract.operations.flatMap((operation): readonly CollectionMember[] => {
      const { json } = successResponseOf(operation, '200')
      const isOwn = isOwnPath(operation.path) && operation.secured && ['GET', 'PATCH', 'PUT'].includes(operation.method)
      if (!isOwn || used.has(operation) || !json || !showsRecordOf(json.schema, recordModel.schemas)) return []
      return [{ operation, place: 'own' }]
    })
    return own.length === 0 ? main : (this.#join(main, own, '') ?? main)
  }
}
