/**
 * An edit adds, removes or replaces one letter, or swaps two neighbours. A difference in case counts as half an edit. At least half of the
 * letters must be right. @returns Undefined if none is near enough, or if the name is known.
 */
export function nearestName(name: string, known: readonly string[], maxEdits = 2): string | undefined {
  if (known.includes(name)) return undefined
  let best: string | undefined
  let fewest = Math.min(maxEdits, name.length / 2) + 0.25
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > maxEdits) continue
    const count = edits(name.toLowerCase(), candidate.toLowerCase()) || 0.5
    if (count >= fewest) continue
    fewest = count
    best = candidate
  }
  return best
}

/** Returns a hint for an unknown name: the nearest known one, else something else. @param otherwise - Default: all known names. */
export function suggest(name: string, known: readonly string[], otherwise = `use ${known.join(', ')}`): string {
  const near = nearestName(name, known)
  return near === undefined ? otherwise : `did you mean ${near}?`
}

/** Counts the edits between two names (optimal string alignment). */
function edits(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      const added = Math.min(last[column] ?? 0, next[column - 1] ?? 0) + 1
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, added, swapped))
    }
    beforeLast = last
    last = next
  }
  return last[other.length] ?? 0
}
