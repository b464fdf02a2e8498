import type { Json, Operation, Parameter } from '../contract/contract.js'
import { findKeyword } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject, objectOf } from '../documents/object.js'
import type { EffectKind } from '../resources/explanation.js'
import { idOf } from '../resources/infer/id-property.js'
import { wordsOf } from '../resources/names.js'
import type { Collection } from '../resources/resources.js'
import type { StatefulDecision } from '../resources/roles/role.js'
import { joinQueries } from './requests.js'
import { type Exchange, RunError } from './service-client.js'

/** The page size that a request asks for, if the contract allows it. */
const wantedPageSize = 100

const maxRecords = 100_000

/** A listing: an operation of a collection, under the given parents. */
export interface ListingSource {
  readonly collection: Collection
  readonly operation: Operation
  readonly decision: StatefulDecision
  readonly parents: JsonObject
  /** The path with its parents filled in, percent-encoded. */
  readonly path: string
  /** The URL and the caller, for messages. */
  readonly title: string
}

export type ReadListing = Awaited<ReturnType<typeof readListing>>

type Paging = ReturnType<typeof pagingOf>

export interface ListingRequests {
  /** The query of the parameters that the operation requires, without a leading `?`. May be empty. */
  readonly required: string
  readonly ask: (query: string) => Promise<Exchange>
  /** Returns the reason why no further request may be sent, as a clause. Undefined: further requests may be sent. */
  readonly stopped: () => string | undefined
  /** Called with the number of records so far, after each page. */
  readonly onPage: (records: number) => void
}

/** Finds the paging parameters that have an effect on the listing. The one that leads to further pages counts the skipped records, or the pages. */
export function pagingOf({ match, operation }: StatefulDecision) {
  const named = (wanted: EffectKind) => [...(match.effects ?? [])].find(([, { kind }]) => kind === wanted)
  const cap = named('cap')?.[0]
  const turning = named('skip') ?? named('page')
  return {
    cap: operation.parameters.find(({ in: place, name }) => place === 'query' && name === cap),
    turning: turning && { name: turning[0], first: turning[1].first ?? 0, isSkip: turning[1].kind === 'skip' },
  }
}

function largestCap({ schema }: Parameter): number {
  const maximum = findKeyword(schema, 'maximum')
  if (typeof maximum === 'number') return Math.floor(maximum)
  return findKeyword(schema, 'format') === 'int64' ? Number.MAX_SAFE_INTEGER : 2_147_483_647
}

/** The requests for further pages have other values of the same parameters. @param required - As `ListingRequests` has it. */
export function firstQueries(decision: StatefulDecision, required: string): readonly string[] {
  const paging = pagingOf(decision)
  const { cap } = paging
  if (paging.turning) return [pageQuery(paging, 0, 0, required)]
  return cap ? [required, joinQueries(required, `${cap.name}=${largestCap(cap)}`)] : [required]
}

/**
 * @returns The items as they were sent, each id once. `cut`: the reason why it seems to be cut, as a clause. `omitted`: the number of items without
 * any paging parameter, if they were asked for. `query`: of the request with the most records.
 * @throws {RunError} A response is not a listing.
 */
export async function readListing(source: ListingSource, requests: ListingRequests) {
  const { ask, required, stopped } = requests
  const paging = pagingOf(source.decision)
  if (paging.turning) return readPages(source, paging, requests)
  const [query = '', cappedQuery] = firstQueries(source.decision, required)
  const answer = await ask(query)
  const limit = 'failure' in answer ? stopped() : undefined
  if (limit !== undefined) return { items: [], cut: limit, omitted: undefined, query, requests: 1 }
  const plain = takePage(source, answer, 'it')
  const omitted = plain.items.length
  const first = { ...wholeOf(source, plain), omitted, query, requests: 1 }
  const { cap } = paging
  if (!cap || cappedQuery === undefined) return first
  const notAsked = stopped()
  if (notAsked !== undefined) return { ...first, cut: notAsked }
  const exchange = await ask(cappedQuery)
  const notRead = 'failure' in exchange ? stopped() : undefined
  if (notRead !== undefined) return { ...first, cut: notRead, requests: 2 }
  const page = pageIn(source, exchange)
  const capped = typeof page === 'string' ? undefined : page
  const isLonger = (capped?.items.length ?? 0) > omitted
  const items = (isLonger ? capped : plain)?.items ?? []
  const known = [largestCap(cap), findKeyword(cap.schema, 'default')]
  const cut =
    capped && capped.items.length !== omitted
      ? `without ${cap.name} it has ${omitted} records, with the largest ${capped.items.length}`
      : items.length > 0 && known.includes(items.length)
        ? `it has exactly ${items.length} records, which is a cap`
        : undefined
  const read = wholeOf(source, { items, total: capped?.total ?? plain.total })
  return { ...read, cut: cut ?? read.cut, omitted, query: isLonger ? cappedQuery : query, requests: 2 }
}

async function readPages(source: ListingSource, paging: Paging, { ask, onPage, required, stopped }: ListingRequests) {
  const query = pageQuery(paging, 0, 0, required)
  const items: Json[] = []
  const seen = new Set<string>()
  const totals = new Set<number | undefined>()
  let isShifted = false
  let skipped = 0
  for (let page = 0; ; page++) {
    const asked = await ask(pageQuery(paging, page, skipped, required))
    const read = { items, omitted: undefined, query, requests: page + 1 }
    const limit = 'failure' in asked ? stopped() : undefined
    if (limit !== undefined) return { ...read, cut: limit }
    const { items: found, total } = takePage(source, asked, `page ${page + 1}`)
    totals.add(total)
    skipped += found.length
    const fresh = freshIn(source, found, seen)
    for (const item of fresh) items.push(item)
    onPage(items.length)
    const isRepeated = found.length > 0 && fresh.length === 0
    isShifted ||= fresh.length > 0 && fresh.length < found.length
    const isFull = !paging.cap || found.length >= pageSize(paging.cap)
    if (found.length === 0 || (total !== undefined && items.length >= total) || (isRepeated && !isFull)) {
      const isChanged = isShifted || totals.size > 1
      const cut = isChanged ? 'records were added or removed while it was read' : wholeOf(source, { items, total }).cut
      return { ...read, cut }
    }
    const cut = isRepeated
      ? `page ${page + 1} repeats the records of earlier pages`
      : items.length >= maxRecords
        ? `it has more than ${maxRecords.toLocaleString('en')} records`
        : stopped()
    if (cut !== undefined) return { ...read, cut }
  }
}

function pageQuery({ cap, turning }: Paging, number: number, skipped: number, required: string): string {
  const size = cap ? `${cap.name}=${pageSize(cap)}` : ''
  const place = turning ? `${turning.name}=${turning.first + (turning.isSkip ? skipped : number)}` : ''
  return joinQueries(required, size, place)
}

const pageSize = (cap: Parameter): number => Math.min(wantedPageSize, largestCap(cap))

/** Returns the items whose ids, or without ids the whole items, are not in `seen`, and adds them. */
const freshIn = (source: ListingSource, items: readonly Json[], seen: Set<string>): readonly Json[] =>
  items.filter((item) => {
    const key = JSON.stringify(idOf(source.collection.model, recordOf(source, item) ?? {}) ?? item)
    return !seen.has(key) && seen.add(key)
  })

/** Returns the items of a page without repetitions, and the reason why they seem not to be all. */
function wholeOf(source: ListingSource, { items, total }: Page) {
  const cut = total !== undefined && total > items.length ? `it has ${items.length} records of ${total}` : undefined
  return { items: freshIn(source, items, new Set()), cut }
}

/** Returns the record in an item. Without a listing, it is the item. */
export function recordOf({ collection }: Pick<ListingSource, 'collection'>, item: unknown): JsonObject | undefined {
  const { listBody } = collection.model
  if (typeof listBody === 'object') return listBody.record.fromBody(item)
  return listBody === undefined && isObject(item) ? item : undefined
}

type Page = Exclude<ReturnType<typeof pageIn>, string>

function takePage(source: ListingSource, exchange: Exchange, what: string): Page {
  const page = pageIn(source, exchange)
  if (typeof page === 'string') throw new RunError(`${source.title} cannot be read: ${what} ${page}.`)
  return page
}

/** @returns The reason why the response is not a listing, as a clause. */
function pageIn({ collection }: ListingSource, exchange: Exchange) {
  if ('failure' in exchange) return exchange.failure
  const { json, mediaType, status } = exchange
  if (status >= 300 && status < 400) return `answers ${status}, and redirects are not followed`
  if (status < 200 || status >= 300) return `answers ${status}`
  const { listBody } = collection.model
  if (json === undefined) {
    const isHtml = mediaType.includes('html') ? '; it may be a login page' : ''
    return `answers ${status} with ${mediaType === '' ? 'no media type' : mediaType}, and its body is not JSON${isHtml}`
  }
  const items = typeof listBody === 'object' ? listBody.itemsIn(json) : undefined
  if (!items) return `answers ${status} with JSON that is not a list of ${collection.name}`
  return { items: items as readonly Json[], total: totalIn(json) }
}

/** Returns the total number of records in an envelope. Undefined: it has none. */
function totalIn(body: Json): number | undefined {
  const entries = [body, ...Object.values(objectOf(body))].flatMap((each) => Object.entries(objectOf(each)))
  const totals = entries.filter(([name]) => {
    const words = wordsOf(name)
    return words.includes('total') && !words.some((word) => /^pages?$/u.test(word))
  })
  return totals.map(([, value]) => value).find((value) => typeof value === 'number')
}
