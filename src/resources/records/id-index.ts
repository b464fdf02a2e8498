/**
 * An immutable map from keys to numbers. It consists of a large map, which is shared, and a small map with the changes since.
 *
 * A change copies the small map. When the small map exceeds the square root of the large one, the two are merged. So n changes cost n√n.
 */

/** Sequence numbers of records by key. */
export interface IdIndex {
  readonly base: ReadonlyMap<string, number>
  /** Undefined: removed. */
  readonly changes: ReadonlyMap<string, number | undefined>
}

/** The least number of changes that are merged. */
const leastChanges = 64

/** Creates an index of a map. The map must not change afterwards. */
export const createIndex = (base: ReadonlyMap<string, number>): IdIndex => ({ base, changes: new Map() })

/** Finds the number of a key. */
export const lookUp = ({ base, changes }: IdIndex, key: string): number | undefined =>
  changes.has(key) ? changes.get(key) : base.get(key)

/** Sets the number of a key, or removes the key. */
export function withKey(index: IdIndex, key: string, value: number | undefined): IdIndex {
  const changes = new Map(index.changes).set(key, value)
  if (changes.size <= Math.max(leastChanges, Math.sqrt(index.base.size))) return { base: index.base, changes }
  const base = new Map(index.base)
  for (const [name, number] of changes) {
    if (number === undefined) base.delete(name)
    else base.set(name, number)
  }
  return createIndex(base)
}
