/** Leads from a page of a listing to the next and the previous one. */
import { jsonIn } from '../../documents/parse-json.js'
import type { EffectKind } from '../explanation.js'
import { entriesOf, hasAccess, type Records } from '../records/records.js'
import type { ActingPart } from './list-query.js'
import { type Anchor, positionOf, type SelectedPage, type Selection } from './select-page.js'

/** A parameter that leads to another page. */
export interface Way {
  readonly kind: EffectKind
  readonly value: string | number
  readonly url: () => URL
}

export type Relation = 'next' | 'previous'

/** Finds the ways to a page, the best first. Empty: there is no such page, or no parameter leads to it. */
export type WaysTo = (relation: Relation) => readonly Way[]

const turning: readonly EffectKind[] = ['cursor', 'page', 'skip']

/** @param url - The URL of the request. @param secrets - Parameters that are credentials, which links leave out. */
export function createLinks(
  collection: string,
  parts: readonly ActingPart[],
  { cap, order }: Selection,
  { entries, hasMore, start }: SelectedPage,
  url: string,
  secrets: readonly string[],
): WaysTo {
  const turningParts = turning.flatMap((kind) => parts.filter(({ effect }) => effect.kind === kind))
  return (relation) => {
    const isNext = relation === 'next'
    const [edge] = isNext ? entries.slice(-1) : entries
    if (!cap || !edge || !(isNext ? hasMore : start > 0)) return []
    const side = isNext ? 'after' : 'before'
    const { sequence, values } = positionOf(edge, order)
    return turningParts.flatMap(({ effect: { direction = side, first = 0, kind, property }, name }): readonly Way[] => {
      if (direction !== side || (kind === 'page' && start % cap > 0)) return []
      const page = first + start / cap + (isNext ? 1 : -1)
      const opaque =
        property === undefined ? encode([collection, side, sequence, ...values]) : String(edge.record[property])
      const skip = first + Math.max(0, start + (isNext ? cap : -cap))
      const value = kind === 'cursor' ? opaque : kind === 'page' ? page : skip
      const target = (): URL => {
        const changed = new URL(url)
        for (const each of [...secrets, ...turningParts.map((part) => part.name)]) changed.searchParams.delete(each)
        changed.searchParams.set(name, String(value))
        return changed
      }
      return [{ kind, value, url: target }]
    })
  }
}

const encode = (cursor: readonly unknown[]): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Finds the place that a cursor names. @returns Undefined: the double has not sent it for such a listing. */
export function findAnchor(
  { effect: { direction, property }, value }: NonNullable<Selection['cursor']>,
  order: Selection['order'],
  collection: string,
  records: Records,
  caller: string | undefined,
): Anchor | undefined {
  if (property !== undefined) {
    const entry = [...entriesOf(records)].find(
      (each) => String(each.record[property]) === value && hasAccess(each, caller),
    )
    return entry && { ...positionOf(entry, order), isEnd: direction === 'before' }
  }
  const parsed = jsonIn(Buffer.from(String(value), 'base64url').toString())
  if (!Array.isArray(parsed) || encode(parsed) !== value) return undefined
  const [name, side, sequence, ...values] = parsed as readonly unknown[]
  if (name !== collection || typeof sequence !== 'number' || values.length !== order.length) return undefined
  return { sequence, values, isEnd: (direction ?? side) === 'before' }
}
