/** Selects the records of a listing. */
import type { Selection } from '../query/rule.js'
import type { Entry, Records } from '../records/records.js'

/** The records that a caller has access to, filtered, then skipped, then capped. Stops as soon as the cap is reached. */
export function selectEntries(
  records: Records,
  caller: string | undefined,
  { cap = Infinity, filters, skip }: Selection,
): readonly Entry[] {
  const selected: Entry[] = []
  let left = skip
  for (const chunk of records.chunks) {
    if (selected.length >= cap) break
    const visible = chunk.visibleTo(caller)
    const found =
      filters.length === 0 ? visible : visible.filter(({ record }) => filters.every((filter) => filter(record)))
    if (left >= found.length) {
      left -= found.length
      continue
    }
    for (const entry of found.slice(left, left + cap - selected.length)) selected.push(entry)
    left = 0
  }
  return selected
}
