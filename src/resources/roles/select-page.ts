/** Selects the records of a listing. */
import type { Filter, Selection } from '../list-query.js'
import type { Chunk } from '../records/chunk.js'
import { hasAccess } from '../records/chunk.js'
import type { Entry } from '../records/entry.js'
import type { Records } from '../records/records.js'

/** A part of the records of a listing. */
export interface Page {
  readonly entries: readonly Entry[]
  /** The number of records before skipping and capping. Undefined: not counted. */
  readonly total: number | undefined
}

/**
 * Selects the records that a caller has access to, filtered, then skipped, then capped.
 *
 * @param isCounted - True if the total is needed. Otherwise the search ends when the cap is reached.
 */
export function selectPage(
  records: Records,
  caller: string | undefined,
  { cap = Infinity, filters, skip }: Selection,
  isCounted: boolean,
): Page {
  const entries: Entry[] = []
  let total = 0
  for (const chunk of records.chunks) {
    if (entries.length >= cap && !isCounted) break
    const found = filters.length === 0 ? chunk.visibleTo(caller) : filtered(chunk, caller, filters)
    const start = Math.max(0, skip - total)
    total += found.length
    if (start < found.length && entries.length < cap)
      for (const entry of found.slice(start, start + cap - entries.length)) entries.push(entry)
  }
  return { entries, total: isCounted ? total : undefined }
}

function filtered(chunk: Chunk, caller: string | undefined, filters: readonly Filter[]): readonly Entry[] {
  const single = filters.find(({ values }) => values.size === 1)
  const [value] = single?.values ?? []
  const candidates = single ? (chunk.having(single.property, single.isInParents).get(value) ?? []) : chunk.entries
  const others = filters.filter((filter) => filter !== single)
  return candidates.filter((entry) => hasAccess(entry, caller) && others.every((filter) => holds(filter, entry)))
}

const holds = ({ isInParents = false, property, values }: Filter, entry: Entry): boolean => {
  const holder = isInParents ? (entry.parents ?? {}) : entry.record
  return Object.hasOwn(holder, property) && values.has(holder[property])
}
