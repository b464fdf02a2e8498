/** Of collections with one and the same record schema, one is stateful at most. */
import type { CollectionModel } from './collection-model.js'

/** A collection whose operations have roles. */
export interface Candidate {
  readonly model: CollectionModel
  readonly creates: boolean
  readonly hasItemOperations: boolean
}

/** Finds the collections that cannot be told from others, with the reason as a clause. */
export function findConflicts<C extends Candidate>(candidates: readonly C[]): ReadonlyMap<C, string> {
  const reasons = new Map<C, string>()
  for (const candidate of candidates) {
    const group = candidates.filter((other) => sharesSchema(candidate.model, other.model))
    if (group.length === 1) continue
    const winner = onlyOne(group, (each) => each.creates) ?? onlyOne(group, (each) => each.hasItemOperations)
    if (winner === candidate) continue
    const others = group.filter((other) => other !== candidate).map(({ model }) => model.path)
    reasons.set(
      candidate,
      `its records have the schema of those of ${others.join(', ')}; x-double: {collection: <name>} on the paths would join them`,
    )
  }
  return reasons
}

const sharesSchema = ({ recordModel: one }: CollectionModel, { recordModel: other }: CollectionModel): boolean =>
  one.schemas.some((part) => other.schemas.includes(part))

function onlyOne<C>(group: readonly C[], isMeant: (candidate: C) => boolean): C | undefined {
  const meant = group.filter(isMeant)
  return meant.length === 1 ? meant[0] : undefined
}
