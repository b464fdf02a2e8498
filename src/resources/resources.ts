/** From a contract to its collections, and what each operation does to them. */
import type { ContractView, ViewOperation } from './contract-view.js'
import type { Handler } from './handler.js'
import { createDraft } from './infer/draft.js'
import { nameCollections } from './infer/names.js'
import type { PathPair } from './infer/paths.js'
import { pairPaths } from './infer/paths.js'
import type { Candidate } from './infer/same-schema.js'
import { findRivals } from './infer/same-schema.js'
import type { Draft, Fit, Role, RoleName } from './roles/role.js'
import { roles } from './roles/roles.js'

/** A collection of a contract. */
export interface Collection {
  readonly name: string
  readonly draft: Draft
  /** Its operations by role. Where several have a role, the first. */
  readonly operations: ReadonlyMap<RoleName, ViewOperation>
}

/** What an operation does, and why. */
export type Decision = StatefulDecision | MockedDecision

/** An operation that has a role. */
export interface StatefulDecision {
  readonly operation: ViewOperation
  readonly role: RoleName
  readonly collection: string
  readonly fit: Fit
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

interface FittedPair extends Candidate {
  readonly fits: ReadonlyMap<ViewOperation, { readonly role: Role; readonly fit: Fit }>
}

/** Finds out what the operations of a contract do. An operation is stateful only if a role fits it; nothing is guessed. */
export function inferResources(contract: ContractView): Resources {
  const { pairs, unpaired } = pairPaths(contract.operations)
  const reasons = new Map(unpaired)
  const candidates = pairs.flatMap((pair) => fitPair(contract, pair, reasons) ?? [])
  const rivals = findRivals(candidates)
  for (const [{ fits }, reason] of rivals) for (const operation of fits.keys()) reasons.set(operation, reason)
  const chosen = candidates.filter((candidate) => !rivals.has(candidate))
  const names = nameCollections(chosen.map(({ draft }) => draft.path))
  const named = chosen.map((candidate) => ({
    ...candidate,
    name: names.get(candidate.draft.path) ?? candidate.draft.path,
  }))

  const stateful = new Map<ViewOperation, StatefulDecision>()
  for (const { fits, name } of named)
    for (const [operation, { fit, role }] of fits)
      stateful.set(operation, { operation, role: role.name, collection: name, fit, handler: fit.bind(name) })
  return {
    contract,
    collections: named.map(({ draft, fits, name }) => ({
      name,
      draft,
      operations: operationsByRole(fits),
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
function operationsByRole(fits: FittedPair['fits']): ReadonlyMap<RoleName, ViewOperation> {
  const fitted = [...fits]
  return new Map(
    roles.flatMap(({ name }) => {
      const found = fitted.find(([, { role }]) => role.name === name)
      return found ? [[name, found[0]] as const] : []
    }),
  )
}

/** Fits the operations of a pair of paths. @returns undefined if none is stateful; then each has a reason. */
function fitPair(contract: ContractView, pair: PathPair, reasons: Map<ViewOperation, string>): FittedPair | undefined {
  const all = [...pair.onCollection, ...pair.onItem]
  const draft = createDraft(contract, pair)
  if (typeof draft === 'string') {
    for (const operation of all) reasons.set(operation, draft)
    return undefined
  }
  const fits = new Map<ViewOperation, { readonly role: Role; readonly fit: Fit }>()
  for (const operation of all) {
    const found = fitOperation(draft, operation, pair.onItem.includes(operation) ? 'item' : 'collection')
    if (typeof found === 'string') reasons.set(operation, found)
    else fits.set(operation, found)
  }
  const incoherent = pair.onCollection.find((operation) => isListOrCreate(operation) && !fits.has(operation))
  if (incoherent) {
    for (const operation of fits.keys())
      reasons.set(operation, `${incoherent.id} is mocked, and so is its whole collection`)
    return undefined
  }
  if (fits.size === 0) return undefined
  return {
    draft,
    fits,
    creates: [...fits.values()].some(({ role }) => role.name === 'create'),
    hasItemOperations: [...fits.values()].some(({ role }) => role.place === 'item'),
  }
}

const isListOrCreate = ({ method }: ViewOperation): boolean => method === 'GET' || method === 'POST'

function fitOperation(
  draft: Draft,
  operation: ViewOperation,
  place: Role['place'],
): { readonly role: Role; readonly fit: Fit } | string {
  for (const role of roles) {
    if (role.place !== place || !role.methods.includes(operation.method)) continue
    const fit = role.fit(draft, operation)
    if (typeof fit === 'string') return fit
    if (fit) return { role, fit }
  }
  return `no role is for ${operation.method} of a ${place === 'item' ? 'record' : 'collection'}`
}
