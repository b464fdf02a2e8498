/** List: `GET` of a collection returns a page of the caller's records. */
import { descriptionOf, isMarked } from '../../contract/schemas/read-schema.js'
import { isToldOmitted, toldExceptions } from '../../contract/told-values.js'
import { type JsonObject, objectAt } from '../../documents/object.js'
import { onceForObject } from '../../once.js'
import { createProjection } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { findFields } from '../query/fields.js'
import { createListQuery } from '../query/list-query.js'
import { createLinks, type Filter, findAnchor, selectPage, type Selection } from '../query/select-page.js'
import type { Records } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { fail, pathValue } from './find-record.js'
import type { Role, RoleOutcome } from './role.js'

export const list: Role = {
  name: 'list',
  methods: ['GET'],
  match: (model, operation) => {
    const { idProperty, listBody, recordModel } = model
    const { hasLink, headers, json, status, totals } = successResponseOf(operation, '200')
    if (!json || !listBody) return 'its success response is no array of objects'
    if (typeof listBody === 'string') return listBody
    const showsLink = hasLink || listBody.shows.has('link')
    const exceptions = toldExceptions(operation.text)
    const isExcepted = (name: string, schema: JsonObject): boolean =>
      exceptions.includes(name) || isToldOmitted(descriptionOf(schema))
    const project = createProjection(model, listBody.record.schema, undefined, isExcepted)
    const shown = [...recordModel.properties].filter(
      ([name, property]) => !isMarked(property, 'writeOnly') && !recordModel.shownOnce.has(name),
    )
    const query = createListQuery({
      operation,
      properties: new Map(shown),
      idProperty,
      shows: new Set([...listBody.shows, showsLink && 'link']),
      project,
    })
    const fields = findFields(operation, listBody.record.schema)
    const secrets = operation.credentialPlaces.flatMap((place) => (place.in === 'query' ? [place.name] : []))
    const [firstPage = 1] = query.parts.flatMap(({ effect }) => (effect.kind === 'page' ? (effect.first ?? 1) : []))
    const listingOf = createListingCache()
    return {
      effects: new Map([...query.effects, ...(fields?.effects ?? [])]),
      ...(query.isInferred ? { basis: 'inferred' } : {}),
      ...(query.order.length > 0 ? { httpEffects: ['order'] } : {}),
      filled: () => listBody.filled(),
      leftOut: () => listBody.leftOut(),
      unusedIn: query.unusedIn,
      handle: ({ caller, context, request, state, target }) => {
        const { collection } = target
        const records = recordsOf(state, collection)
        const { key, select } = query.read(request.query)
        const scope = model.parents.map(({ parameter }) => pathValue(request, parameter))
        const url = showsLink ? context.url : ''
        const named = fields && request.query[fields.name]
        return listingOf(
          records,
          JSON.stringify([isOpen(records) ? null : (caller?.name ?? null), key, scope, url, named, context.isReversed]),
          () => {
            const asked = context.isReversed ? { ...select(), order: lastFirst } : select()
            const within = model.parents.map(({ inner, key: parentKey, property }, at): Filter => {
              const values = new Set<unknown>([scope[at]])
              if (property === undefined) return { property: parentKey, values, isInParents: true }
              if (inner === undefined) return { property, values }
              return { test: (record) => values.has(objectAt(record, property)[inner]) }
            })
            const { cap, cursor, order } = asked
            const anchor = cursor && findAnchor(cursor, order, collection, records, caller?.name)
            if (cursor && !anchor) return fail(target, 'foreign_cursor', { parameter: cursor.name })
            const selection = { ...asked, filters: [...within, ...asked.filters] }
            const isCounted = listBody.shows.has('total') || totals.length > 0
            const page = selectPage(records, caller?.name, selection, anchor, isCounted)
            const show = fields?.asked(request)
            const shownOf = show ? (record: JsonObject) => show(project(record)) : project
            const items = page.entries.map(({ record }) => listBody.record.toBody(shownOf(record)))
            const waysTo = createLinks(collection, query.parts, asked, page, url, secrets)
            const whole = (): number =>
              selectPage(records, caller?.name, { ...asked, filters: within, cap: 0 }, undefined, true).total ?? 0
            // Before a record, more of them are before the page.
            const hasMore = cursor?.effect.direction === 'before' ? page.start > 0 : page.hasMore
            // A page after the last one is still the one that was asked for.
            const start = cursor ? page.start : asked.skip
            const body = listBody.toBody({
              ...page,
              hasMore,
              hasNext: page.hasMore,
              items,
              cap,
              pageNumber: firstPage + (cap ? Math.floor(start / cap) : asked.page),
              start,
              waysTo,
              whole,
            })
            const links = (['next', 'previous'] as const).flatMap((relation) => {
              const [way] = hasLink ? waysTo(relation) : []
              return way ? `<${way.url().href}>; rel="${relation === 'next' ? 'next' : 'prev'}"` : []
            })
            const counts = Object.fromEntries(totals.map((name) => [name, String(page.total)]))
            const sent = { ...headers, ...counts, ...(links.length > 0 ? { link: links.join(', ') } : {}) }
            return deepFreeze({ status, headers: sent, mediaType: json.mediaType, body })
          },
        )
      },
    }
  },
}

const lastFirst: Selection['order'] = [{ read: ({ sequence }) => sequence, isDescending: true }]

/** Tells whether all callers have the same listings. */
const isOpen = onceForObject(({ chunks }: Records) => chunks.every((chunk) => chunk.isOpen))

/** The most records in the listings that are kept for the same records. A client that counts up must not fill the memory. */
const maxListed = 50_000

/** Keeps listings while their records exist. The key is caller and query. */
function createListingCache(): (records: Records, key: string, make: () => RoleOutcome) => RoleOutcome {
  const listings = new WeakMap<Records, { listed: number; readonly byKey: Map<string, RoleOutcome> }>()
  return (records, key, make) => {
    const own = listings.get(records) ?? { listed: 0, byKey: new Map<string, RoleOutcome>() }
    listings.set(records, own)
    const kept = own.byKey.get(key)
    if (kept) return kept
    const made = make()
    // A filter may list few of them, but takes as long.
    own.listed += Math.max(32, records.size)
    if (own.listed > Math.max(maxListed, 32 * records.size)) {
      own.byKey.clear()
      own.listed = 0
    }
    own.byKey.set(key, made)
    return made
  }
}
