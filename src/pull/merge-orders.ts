/** Merges the orders of lists that share items. */

/** An order of all items of several lists. */
export interface MergedOrder {
  readonly order: readonly string[]
  /** The indexes of the lists that have another order. Empty: the order agrees with every list. */
  readonly contradicted: readonly number[]
}

/**
 * Merges lists of which each has an item at most once. If one order agrees with all of them, returns such an order; otherwise one that agrees
 * with the first list.
 */
export function mergeOrders(lists: readonly (readonly string[])[]): MergedOrder {
  const followers = new Map<string, string[]>()
  // The number of places after an item that is not in the order yet.
  const waiting = new Map<string, number>()
  for (const list of lists)
    for (const [index, item] of list.entries()) {
      const previous = list[index - 1]
      waiting.set(item, (waiting.get(item) ?? 0) + (previous === undefined ? 0 : 1))
      if (previous === undefined) continue
      const known = followers.get(previous)
      if (known) known.push(item)
      else followers.set(previous, [item])
    }
  const rank = new Map<string, number>()
  // Adds the followers at once, so that items of one list stay together. Not recursive: a list may have 100,000 items.
  const addWithFollowers = (first: string): void => {
    const ready = [first]
    for (let item = ready.pop(); item !== undefined; item = ready.pop()) {
      if (rank.has(item)) continue
      rank.set(item, rank.size)
      for (const next of followers.get(item)?.toReversed() ?? []) {
        const left = (waiting.get(next) ?? 0) - 1
        waiting.set(next, left)
        if (left === 0) ready.push(next)
      }
    }
  }
  for (const [item, count] of waiting) if (count === 0) addWithFollowers(item)
  // What is left follows itself: the lists contradict each other. The items of the first list come first, in its order.
  for (const item of waiting.keys()) addWithFollowers(item)
  const rankOf = (item: string | undefined): number => rank.get(item ?? '') ?? -1
  return {
    order: [...rank.keys()],
    contradicted: lists.flatMap((list, index) =>
      list.every((item, at) => rankOf(list[at - 1]) < rankOf(item)) ? [] : [index],
    ),
  }
}
