/** Creates a fixture document from the listings of all callers. */
import type { Json } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import type { Service } from '../resources/load-service.js'
import { mergeOrders } from './merge-orders.js'
import { standInToken } from './place-token.js'

/** The records of a collection by parents and id. */
export type PulledRecords = Map<string, PulledRecord>

interface PulledRecord {
  readonly record: JsonObject
  /** The item that the first caller got. */
  readonly item: Json
  readonly seenBy: Set<string>
}

/** The order of the records in a listing. */
export interface ListingOrder {
  /** The name of the collection. */
  readonly collection: string
  /** The listing, for messages. */
  readonly title: string
  /** The keys of the records, each once. */
  readonly keys: readonly string[]
}

/**
 * Creates the document. The order of the records agrees with every listing, if there is such an order. A record that every caller sees has no
 * `$access`.
 *
 * @returns Also a note, a sentence, for each collection without such an order.
 */
export function createDocument(
  { contract, resources }: Service,
  callers: readonly string[],
  found: ReadonlyMap<string, PulledRecords>,
  orders: readonly ListingOrder[],
): { readonly document: JsonObject; readonly notes: readonly string[] } {
  const notes: string[] = []
  const collections = resources.collections.map(({ name }): readonly [string, readonly Json[]] => {
    const own = orders.filter(({ collection }) => collection === name)
    const { contradicted, order } = mergeOrders(own.map(({ keys }) => keys))
    const others = contradicted.map((index) => own[index]?.title).join(', ')
    if (others !== '')
      notes.push(`No order of ${name} agrees with every listing, and the pulled one not with ${others}.`)
    const records = order.flatMap((key) => found.get(name)?.get(key) ?? [])
    return [
      name,
      records.map(({ record, seenBy }) => {
        const isForAll = seenBy.size === 0 || seenBy.size === callers.length
        return (isForAll ? record : { ...record, $access: callers.filter((each) => seenBy.has(each)) }) as Json
      }),
    ]
  })
  const $callers = Object.fromEntries(callers.map((name) => [name, { token: standInToken(contract, name) }]))
  return { document: { ...(callers.length === 0 ? {} : { $callers }), ...Object.fromEntries(collections) }, notes }
}

/** Returns a document whose records belong to every caller. */
export const withoutAccess = (document: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(document).map(([key, value]) => [
      key,
      Array.isArray(value) ? (value as JsonObject[]).map(({ $access: _access, ...record }) => record) : value,
    ]),
  )
