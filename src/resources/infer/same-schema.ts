/** Of collections with one and the same record schema, one is stateful at most. */
import type { Draft } from '../roles/role.js'

/** A collection whose operations were fitted. */
export interface Candidate {
  readonly draft: Draft
  readonly creates: boolean
  readonly hasItemOperations: boolean
}

/** Finds the collections that cannot be told from others, with the reason as a clause. */
export function findRivals<C extends Candidate>(candidates: readonly C[]): ReadonlyMap<C, string> {
  const reasons = new Map<C, string>()
  for (const candidate of candidates) {
    const group = candidates.filter((other) => sharesSchema(candidate.draft, other.draft))
    if (group.length === 1) continue
    const winner = onlyOne(group, (each) => each.creates) ?? onlyOne(group, (each) => each.hasItemOperations)
    if (winner === candidate) continue
    const others = group.filter((other) => other !== candidate).map(({ draft }) => draft.path)
    reasons.set(
      candidate,
      `its records have the schema of those of ${others.join(', ')}; x-double: {collection: <name>} on the paths would join them`,
    )
  }
  return reasons
}

const sharesSchema = ({ model: one }: Draft, { model: other }: Draft): boolean =>
  one.parts.some((part) => other.parts.includes(part))

function onlyOne<C>(group: readonly C[], isMeant: (candidate: C) => boolean): C | undefined {
  const meant = group.filter(isMeant)
  return meant.length === 1 ? meant[0] : undefined
}
