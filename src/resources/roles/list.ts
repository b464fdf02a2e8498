/** List: `GET` of a collection returns the caller's records, in order: filter, then skip, then cap. */
import { isMarked } from '../../contract/schemas/read-schema.js'
import { objectAt } from '../../documents/object.js'
import { createProjection } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { createListQuery, type Filter, type Selection } from '../list-query.js'
import { type Chunk, type Entry, hasAccess, type Records } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { pathValue } from './find-record.js'
import type { Role } from './role.js'

export const list: Role = {
  name: 'list',
  methods: ['GET'],
  match: (model, operation) => {
    const { listBody, recordModel } = model
    const { headers, json, status } = successResponseOf(operation, '200')
    if (!json || !listBody) return 'its success response is no array of objects'
    if (typeof listBody === 'string') return listBody
    const query = createListQuery({
      parameters: operation.parameters.filter((parameter) => parameter.in === 'query'),
      // A filter by a property that is never sent would reveal its value.
      properties: new Map([...recordModel.properties].filter(([, schema]) => !isMarked(schema, 'writeOnly'))),
    })
    const project = createProjection(model, listBody.record.schema)
    const listingOf = createListingCache()
    return {
      effects: query.effects,
      filled: () => listBody.filled,
      createHandler: (collection) => (state, caller, request) => {
        const records = recordsOf(state, collection)
        const { key, selection: asked } = query.read(request)
        const scope = model.parents.map(({ parameter }) => pathValue(request, parameter))
        const body = listingOf(records, JSON.stringify([caller?.name ?? null, key, scope]), () => {
          const within = model.parents.map(({ inner, key: parentKey, property }, at): Filter => ({
            property: property ?? parentKey,
            inner,
            values: new Set([scope[at]]),
            isInParents: property === undefined,
          }))
          const selection = { ...asked, filters: [...within, ...asked.filters] }
          const { entries, total } = selectPage(records, caller?.name, selection, listBody.isCounted)
          const items = deepFreeze(entries.map(({ record }) => listBody.record.toBody(project(record))))
          const skip = Math.min(selection.skip, records.size)
          return deepFreeze(listBody.toBody({ items, total, skip, cap: selection.cap }))
        })
        return { status, headers, mediaType: json.mediaType, body }
      },
    }
  },
}

/** The most listings that are kept for the same records. Clients use few queries. A client that counts up must not fill the memory. */
const maxListings = 32

/** Keeps listings while their records exist. The key is caller and query. */
function createListingCache(): (records: Records, key: string, make: () => unknown) => unknown {
  const listings = new WeakMap<Records, Map<string, unknown>>()
  return (records, key, make) => {
    let known = listings.get(records)
    if (!known) listings.set(records, (known = new Map()))
    if (known.has(key)) return known.get(key)
    const made = make()
    const [oldest] = known.keys()
    if (known.size >= maxListings && oldest !== undefined) known.delete(oldest)
    known.set(key, made)
    return made
  }
}

/**
 * Selects the records that a caller has access to, filtered, then skipped, then capped.
 *
 * @param isCounted - True if the total before skipping and capping is needed. Otherwise the search ends when the cap is reached.
 */
export function selectPage(
  records: Records,
  caller: string | undefined,
  { cap = Infinity, filters, skip }: Selection,
  isCounted: boolean,
): { readonly entries: readonly Entry[]; readonly total: number | undefined } {
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
  const single = filters.find(({ inner, values }) => values.size === 1 && inner === undefined)
  const [value] = single?.values ?? []
  const candidates = single ? (chunk.having(single.property, single.isInParents).get(value) ?? []) : chunk.entries
  const others = filters.filter((filter) => filter !== single)
  return candidates.filter((entry) => hasAccess(entry, caller) && others.every((filter) => holds(filter, entry)))
}

const holds = ({ inner, isInParents = false, property, values }: Filter, entry: Entry): boolean => {
  const holder = isInParents ? (entry.parents ?? {}) : entry.record
  if (!Object.hasOwn(holder, property)) return false
  return values.has(inner === undefined ? holder[property] : objectAt(holder, property)[inner])
}
