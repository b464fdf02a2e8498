/** Finds conflicts: of several collections with the same record schema, at most one is stateful. */
import type { CollectionModel } from './collection-model.js'

/** A collection whose operations have roles. */
export interface Candidate {
  readonly model: CollectionModel
  /** The name that `x-double` gives. Undefined: the rules decide. */
  readonly declaredName: string | undefined
  readonly creates: boolean
  readonly hasItemOperations: boolean
}

/** Finds the collections that cannot be distinguished from others, with the reason as a clause. */
export function findConflictingCollections<C extends Candidate>(candidates: readonly C[]): ReadonlyMap<C, string> {
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
    const name = nameOf(winner?.model ?? group[0]?.model ?? candidate.model)
    reasons.set(
      candidate,
      `its records have the schema of those of ${others.join(', ')}; ${joinWith(name, candidate.model)}`,
    )
  }
  return reasons
}

/** Returns the last segment of the path. */
const nameOf = ({ path }: CollectionModel): string => path.split('/').at(-1) ?? path

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
