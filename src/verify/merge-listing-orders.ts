/** Merges the orders of several listings, so that each caller of the double sees the order of the service. */
import type { JsonObject } from '../documents/object.js'
import type { PulledState } from '../pull/pull.js'

/** Returns the pulled document with its records in an order that agrees with every listing, if there is one. */
export function withMergedOrder({ document, listings }: PulledState): JsonObject {
  const entries = Object.entries(document).map(([name, records]): readonly [string, unknown] => {
    const own = listings.filter(({ source }) => source.collection.name === name)
    const [first] = own
    // The ids of a nested collection are unique under their parents only.
    const isNested = first && first.source.collection.model.parents.length > 0
    if (!first || !Array.isArray(records) || isNested) return [name, records]
    const { idProperty } = first.source.collection.model
    const rank = new Map(mergeOrders(own.map(({ ids }) => ids)).map((id, index) => [id, index]))
    const rankOf = (record: JsonObject): number => rank.get(JSON.stringify(record[idProperty])) ?? Infinity
    return [name, (records as JsonObject[]).toSorted((one, other) => rankOf(one) - rankOf(other))]
  })
  return Object.fromEntries(entries)
}

/** Merges lists that are parts of one order. If two contradict each other, the first one applies. */
function mergeOrders(orders: readonly (readonly string[])[]): readonly string[] {
  let merged: readonly string[] = []
  for (const order of orders) {
    const known = new Set(merged)
    const after = new Map<string | undefined, string[]>()
    let previous: string | undefined
    for (const id of order) {
      if (known.has(id)) previous = id
      else after.set(previous, [...(after.get(previous) ?? []), id])
    }
    merged = [...(after.get(undefined) ?? []), ...merged.flatMap((id) => [id, ...(after.get(id) ?? [])])]
  }
  return merged
}
