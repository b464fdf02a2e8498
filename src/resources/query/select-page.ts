/** Selects the page of a listing: filter, sort, go to the cursor, skip, cap; and leads from it to the next and the previous one. */
import type { JsonObject } from '../../documents/object.js'
import { jsonIn } from '../../documents/parse-json.js'
import type { EffectKind, ParameterEffect } from '../explanation.js'
import { type Chunk, entriesOf, type Entry, hasAccess, type Records } from '../records/records.js'

/** Selects the records whose property has one of some values, or that pass a test. */
export type Filter =
  | {
      readonly property: string
      readonly values: ReadonlySet<unknown>
      readonly isInParents?: boolean
    }
  | { readonly test: (record: JsonObject) => boolean }

export interface NamedEffect {
  readonly name: string
  readonly effect: ParameterEffect
}

export interface Selection {
  readonly filters: readonly Filter[]
  /** Records that are equal by it stay in the order of the collection. */
  readonly order: readonly { readonly read: (entry: Entry) => unknown; readonly isDescending: boolean }[]
  readonly skip: number
  /** The number of pages to skip. Without a cap, all records are on the first. */
  readonly page: number
  /** The most records to return. Undefined: all. */
  readonly cap: number | undefined
  /** The cursor that the request has sent. Undefined: none. */
  readonly cursor: (NamedEffect & { readonly value: unknown }) | undefined
}

/** A place between records, which need not exist any more. */
interface Position {
  readonly values: readonly unknown[]
  readonly sequence: number
}

/** The place where a page begins, or before which it ends. */
export type Anchor = Position & { readonly isEnd: boolean }

export interface SelectedPage {
  readonly entries: readonly Entry[]
  /** The number of records on all pages. Undefined if it is not counted. */
  readonly total: number | undefined
  readonly start: number
  readonly hasMore: boolean
  /** The first record of the next page. */
  readonly following: Entry | undefined
}

/**
 * Selects the records that a caller has access to.
 *
 * @param isCounted - True if the total is needed. Otherwise the search ends when the page is full, unless it is sorted or has an anchor.
 */
export function selectPage(
  records: Records,
  caller: string | undefined,
  { cap = Infinity, filters, order, skip }: Selection,
  anchor: Anchor | undefined,
  isCounted: boolean,
): SelectedPage {
  const found: Entry[] = []
  const isWhole = anchor !== undefined || order.length > 0
  const [first, last] = isWhole ? [0, Infinity] : [skip, skip + cap + 1]
  let total = 0
  for (const chunk of records.chunks) {
    if (total >= last && !isCounted) break
    const matching = filters.length === 0 ? chunk.visibleTo(caller) : filtered(chunk, caller, filters)
    const from = Math.max(0, first - total)
    total += matching.length
    if (from < matching.length && found.length < last - first)
      for (const entry of matching.slice(from, from + last - first - found.length)) found.push(entry)
  }
  if (!isWhole) {
    const start = Math.min(skip, total)
    const entries = found.length > cap ? found.slice(0, cap) : found
    const counted = isCounted ? total : undefined
    return { entries, total: counted, start, hasMore: cap > 0 && found.length > cap, following: found[cap] }
  }
  const sorted = found.map((entry) => ({ entry, ...positionOf(entry, order) }))
  if (order.length > 0) sorted.sort((one, other) => comparePositions(one, other, order))
  const at = sorted.findIndex((each) => {
    const distance = anchor ? comparePositions(each, anchor, order) : 1
    return distance > 0 || (anchor?.isEnd === true && distance === 0)
  })
  const place = at === -1 ? sorted.length : at
  const start = anchor?.isEnd ? Math.max(0, place - cap) : Math.min(total, place + skip)
  const end = anchor?.isEnd ? place : start + cap
  const entries = sorted.slice(start, end).map(({ entry }) => entry)
  return { entries, total, start, hasMore: cap > 0 && start + entries.length < total, following: sorted[end]?.entry }
}

const positionOf = (entry: Entry, order: Selection['order']): Position => ({
  values: order.map(({ read }) => read(entry) ?? null),
  sequence: entry.sequence,
})

function comparePositions(one: Position, other: Position, order: Selection['order']): number {
  for (const [at, { isDescending }] of order.entries()) {
    const [value, another] = [one.values[at], other.values[at]]
    // A record without a value comes last in both directions.
    if ((value === null) !== (another === null)) return value === null ? 1 : -1
    const difference = value === null ? 0 : compareScalars(value, another)
    if (difference !== 0) return isDescending ? -difference : difference
  }
  return one.sequence - other.sequence
}

/** Compares numbers, also those in texts, times, booleans and texts. A missing value gives NaN. */
export function compareScalars(one: unknown, other: unknown): number {
  if (one === undefined || one === null) return NaN
  const difference = numberOf(one) - numberOf(other)
  if (!Number.isNaN(difference)) return difference
  const [text = '', another = ''] = [one, other].map((value) => (typeof value === 'string' ? value : ''))
  return text < another ? -1 : Number(text > another)
}

function numberOf(value: unknown): number {
  if (typeof value !== 'string' || /^\d{1,15}$/u.test(value)) return Number(value)
  return /^\d{4}-\d\d-\d\d|^[A-Z][a-z]{2}, \d/u.test(value) ? Date.parse(value) : NaN
}

function filtered(chunk: Chunk, caller: string | undefined, filters: readonly Filter[]): readonly Entry[] {
  const single = filters.find((filter) => 'property' in filter && filter.values.size === 1)
  if (!single || !('property' in single))
    return chunk.visibleTo(caller).filter((entry) => filters.every((each) => holds(each, entry)))
  const [value] = single.values
  const candidates = chunk.having(single.property, single.isInParents).get(value) ?? []
  return candidates.filter(
    (entry) => hasAccess(entry, caller) && filters.every((each) => each === single || holds(each, entry)),
  )
}

function holds(filter: Filter, { parents = {}, record }: Entry): boolean {
  if ('test' in filter) return filter.test(record)
  const holder = filter.isInParents ? parents : record
  return Object.hasOwn(holder, filter.property) && filter.values.has(holder[filter.property])
}

export interface Way {
  readonly kind: EffectKind
  readonly value: string | number
  readonly url: () => URL
}

/** The other page, the first or the last one, or the cursor (`current`) and the URL (`self`) of the request. */
export type Relation = 'next' | 'previous' | 'first' | 'last' | 'current' | 'self'

/** Finds the ways to a page, the best first. Empty: there is no such page, or no parameter leads to it. */
export type WaysTo = (relation: Relation) => readonly Way[]

const turning: readonly EffectKind[] = ['cursor', 'page', 'skip']

/** @param url - The URL of the request. @param secrets - Parameters that are credentials, which links leave out. */
export function createLinks(
  collection: string,
  parts: readonly NamedEffect[],
  { cap, cursor, order }: Selection,
  { entries, following, hasMore, start, total = 0 }: SelectedPage,
  url: string,
  secrets: readonly string[],
): WaysTo {
  const turningParts = turning.flatMap((kind) => parts.filter(({ effect }) => effect.kind === kind))
  const names = [...secrets, ...turningParts.map((part) => part.name)]
  const urlWith = (name: string, value: number | string): URL => {
    const changed = withoutParameters(url, names)
    changed.searchParams.set(name, String(value))
    return changed
  }
  return (relation) => {
    if (relation === 'first') return [{ kind: 'page', value: '', url: () => withoutParameters(url, names) }]
    if (relation === 'last') {
      const { effect, name = '' } = turningParts.find(({ effect: { kind } }) => kind !== 'cursor') ?? {}
      if (!cap || !effect) return []
      const pages = Math.max(0, Math.ceil(total / cap) - 1)
      const value = (effect.first ?? 0) + pages * (effect.kind === 'page' ? 1 : cap)
      return [{ kind: effect.kind, value, url: () => urlWith(name, value) }]
    }
    if (relation === 'current')
      return cursor ? [{ kind: 'cursor', value: String(cursor.value), url: () => new URL(url) }] : []
    if (relation === 'self') return [{ kind: 'page', value: '', url: () => withoutParameters(url, secrets) }]
    const isNext = relation === 'next'
    const [edge] = isNext ? entries.slice(-1) : entries
    if (!cap || !edge || !(isNext ? hasMore : start > 0)) return []
    const side = isNext ? 'after' : 'before'
    const { sequence, values } = positionOf(edge, order)
    return turningParts.flatMap(({ effect, name }): readonly Way[] => {
      const { direction = side, first = 0, isInclusive, kind, property } = effect
      const named = isInclusive ? following : edge
      if (direction !== side || (kind === 'page' && start % cap > 0) || !named) return []
      const page = first + start / cap + (isNext ? 1 : -1)
      const place = property === undefined ? encode([collection, side, sequence, ...values]) : named.record[property]
      const key = typeof place === 'number' ? place : String(place)
      const skip = first + Math.max(0, start + (isNext ? cap : -cap))
      const value = kind === 'cursor' ? key : kind === 'page' ? page : skip
      return [{ kind, value, url: () => urlWith(name, value) }]
    })
  }
}

function withoutParameters(url: string, names: readonly string[]): URL {
  const changed = new URL(url)
  for (const name of names) changed.searchParams.delete(name)
  // Brackets that a client has not encoded are no part of a URI.
  changed.search = String(changed.searchParams)
  return changed
}

const encode = (cursor: readonly unknown[]): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Finds the place that a cursor names. @returns Undefined: the double has not sent it for such a listing. */
export function findAnchor(
  { effect: { direction, isInclusive, property }, value }: NonNullable<Selection['cursor']>,
  order: Selection['order'],
  collection: string,
  records: Records,
  caller: string | undefined,
): Anchor | undefined {
  if (property !== undefined) {
    const entry = [...entriesOf(records)].find(
      (each) => String(each.record[property]) === String(value) && hasAccess(each, caller),
    )
    if (!entry) return undefined
    const { sequence, values } = positionOf(entry, order)
    // An inclusive one is between the record and the one before it.
    return { sequence: isInclusive ? sequence - 0.5 : sequence, values, isEnd: direction === 'before' }
  }
  const parsed = jsonIn(Buffer.from(String(value), 'base64url').toString())
  if (!Array.isArray(parsed) || encode(parsed) !== value) return undefined
  const [name, side, sequence, ...values] = parsed as readonly unknown[]
  if (name !== collection || typeof sequence !== 'number' || values.length !== order.length) return undefined
  return { sequence, values, isEnd: (direction ?? side) === 'before' }
}
