import { isDeepStrictEqual } from 'node:util'

import type { Contract } from '../contract/contract.js'
import { itemsOf, objectSchema, propertiesOf } from '../contract/schemas/read-schema.js'
import { groupBy, isObject, type JsonObject, objectAt } from '../documents/object.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { idOf } from '../resources/infer/id-property.js'
import { holdersByPath, parentIn, placeParents } from '../resources/infer/parents.js'
import { checkRecord, generateProperty } from '../resources/infer/record-model.js'
import { withoutProperties } from '../resources/json.js'
import type { Service } from '../resources/load-service.js'
import type { Collection } from '../resources/resources.js'
import { type ListingSource, recordOf } from './read-listing.js'
import { type GivenValues, isSegment, standInToken } from './requests.js'

interface PulledRecord {
  readonly record: JsonObject
  /** The record as the first caller got it. */
  readonly sent: JsonObject
  readonly seenBy: Set<string>
}

export interface LeftOut {
  readonly collection: string
  /** The id as JSON. Undefined: it has none. */
  readonly id: string | undefined
  readonly reason: string
}

/** Joins the records of a collection that are left out for the same reason. `records` is the subject of a sentence, such as `"a" and 3 more`. */
export const groupLeftOut = (leftOut: readonly LeftOut[]) =>
  [...groupBy(leftOut, ({ collection, reason }) => JSON.stringify([collection, reason])).values()].flatMap(
    ([first, ...others]) => {
      if (!first) return []
      const { collection, id = 'a record without an id', reason } = first
      return { collection, reason, records: others.length === 0 ? id : `${id} and ${others.length} more` }
    },
  )

/** Collects the records of listings. @param given - The values of `--value`. */
export function collectRecords({ contract, resources }: Service, callers: readonly string[], given: GivenValues) {
  /** The records of each pulled collection by parents and id. */
  const found = new Map<string, Map<string, PulledRecord>>()
  /** The keys of the records in each listing, in its order and each once. */
  const orders: { readonly collection: string; readonly title: string; readonly keys: readonly string[] }[] = []
  const leftOut = new Map<string, LeftOut>()
  /** Properties that the contract does not have, or whose value it refuses, as `collection.property`. */
  const dropped = new Set<string>()
  /** Properties that the contract requires and the service does not send, likewise. Their values are generated. */
  const added = new Set<string>()

  /**
   * @param details - What reads of single records show, by id as JSON: it is added to what the listing shows.
   * @returns The records as they were sent, by id as JSON. An item that an earlier caller got too is the same object, to save memory.
   */
  function keep(
    { collection, parents }: Pick<ListingSource, 'collection' | 'parents'>,
    title: string,
    caller: string | undefined,
    listed: readonly unknown[],
    details: ReadonlyMap<string, JsonObject>,
  ): ReadonlyMap<string, JsonObject> {
    const { name } = collection
    const records = found.get(name) ?? new Map<string, PulledRecord>()
    found.set(name, records)
    const sent = new Map<string, JsonObject>()
    const keys: string[] = []
    for (const item of listed) {
      const inListing = takeRecord(collection, recordOf({ collection }, item), parents)
      const id = inListing.id === undefined ? undefined : JSON.stringify(inListing.id)
      const detail = details.get(id ?? '')
      const taken = detail ? takeRecord(collection, { ...inListing.sent, ...detail }, parents) : inListing
      for (const property of taken.dropped) dropped.add(`${name}.${property}`)
      const key = JSON.stringify([parents, id])
      const known = records.get(key)
      if (id !== undefined && inListing.sent)
        sent.set(id, known && isDeepStrictEqual(inListing.sent, known.sent) ? known.sent : inListing.sent)
      if (!taken.record || id === undefined) {
        leftOut.set(`${name} ${id ?? JSON.stringify(item)}`, { collection: name, id, reason: taken.reason ?? '' })
        continue
      }
      for (const property of taken.added) added.add(`${name}.${property}`)
      keys.push(key)
      const kept = known ?? { record: taken.record, sent: inListing.sent ?? taken.sent, seenBy: new Set<string>() }
      if (caller !== undefined) kept.seenBy.add(caller)
      records.set(key, kept)
    }
    orders.push({ collection: name, title, keys })
    return sent
  }

  /** Finds the values of the parents of a collection: the ids of the collections in its path. @returns Or the reason why they are unknown. */
  function parentPlaces(collection: Collection, caller: string | undefined): readonly JsonObject[] | string {
    const { model, name, operations } = collection
    // The listing may be at another path than the records.
    const path = operations.get('list')?.path ?? model.path
    let places: readonly JsonObject[] = [{}]
    for (const { parameter } of model.parents) {
      const [parent] = holdersByPath(path, parameter, resources.collections)
      const records = parent && found.get(parent.name)
      const value = given.get(parameter)
      if (!records && value === undefined)
        return `${name} is not pulled: nothing lists the values of ${parameter}. --value ${parameter}=<value> gives one.`
      if (!records || !parent) {
        places = places.map((place) => ({ ...place, [parameter]: value }))
        continue
      }
      places = places.flatMap((place) =>
        [...records.values()].flatMap(({ record, seenBy }) => {
          const id = idOf(parent.model, record)
          const isVisible = caller === undefined || seenBy.size === 0 || seenBy.has(caller)
          return isVisible && isSegment(id) && isUnder(record, parent, place) ? [{ ...place, [parameter]: id }] : []
        }),
      )
    }
    return places
  }

  /** The order of the records agrees with every listing, or there is a note. A record that every caller sees has no `$access`. */
  function toDocument(): { readonly document: JsonObject; readonly notes: readonly string[] } {
    const notes: string[] = []
    const collections = resources.collections.map(({ name }): readonly [string, readonly unknown[]] => {
      const own = orders.filter(({ collection }) => collection === name)
      const { contradicted, order } = mergeOrders(own.map(({ keys }) => keys))
      const others = contradicted.map((index) => own[index]?.title).join(', ')
      if (others !== '')
        notes.push(`No order of ${name} agrees with every listing, and the pulled one not with ${others}.`)
      const records = order.flatMap((key) => found.get(name)?.get(key) ?? [])
      const fixed = records.map(({ record, seenBy }) => {
        const isForAll = seenBy.size === 0 || seenBy.size === callers.length
        return isForAll ? record : { ...record, $access: callers.filter((each) => seenBy.has(each)) }
      })
      return [name, fixed]
    })
    const why = 'Values are made up for properties that the contract requires and the service does not send'
    if (added.size > 0) notes.push(`${why}: ${[...added].join(', ')}.`)
    const $callers = Object.fromEntries(callers.map((name) => [name, { token: standInToken(contract, name) }]))
    return { document: { ...(callers.length === 0 ? {} : { $callers }), ...Object.fromEntries(collections) }, notes }
  }

  const begin = ({ name }: Collection): void => void found.set(name, new Map())
  return { begin, dropped, keep, leftOut, parentPlaces, toDocument }
}

const isUnder = (record: JsonObject, { model }: Collection, place: JsonObject): boolean =>
  model.parents.every((parent) => {
    const value = parentIn(parent, record, objectAt(record, '$parents'))
    return !Object.hasOwn(place, parent.parameter) || String(value) === String(place[parent.parameter])
  })

/**
 * Leaves out properties that the contract does not have, and optional ones whose value it refuses; makes up what it requires.
 * @param parents - The values of the path's parents by parameter.
 * @returns With the names of what was `dropped` and `added`. Without a record, the reason why the item is none, as a clause.
 */
function takeRecord(collection: Collection, sent: JsonObject | undefined, parents: JsonObject) {
  const { model } = collection
  const { properties, required, schemas } = model.recordModel
  if (!sent) return { dropped: [], reason: 'it is not an object' }
  const storesAll = storesUnknown(collection)
  const isKept = (name: string): boolean => properties.has(name) || (storesAll && !name.startsWith('$'))
  const names = Object.keys(sent)
  const inside: ChangedNames = { dropped: [], added: [] }
  const fitted = Object.fromEntries(
    names.filter(isKept).map((name) => {
      let value = sent[name]
      for (const schema of schemas)
        value = fitInside(model.contract, propertiesOf(schema).get(name) ?? {}, value, name, inside)
      return [name, value]
    }),
  )
  const dropped = [...names.filter((name) => !isKept(name)), ...inside.dropped]
  // The values of `--value` are texts.
  const placed = placeParents(model.parents, ({ parameter, type }) =>
    type === 'integer' || type === 'number' ? Number(parents[parameter]) : parents[parameter],
  )
  const whole: JsonObject = { ...placed.properties, ...fitted }
  const id = idOf(model, whole)
  if (typeof id !== 'string' && typeof id !== 'number')
    return { dropped, reason: `it has no ${model.idPath.join('.')}` }
  const errors = checkRecord(model, whole)
  const refused = errors.flatMap(({ path: [name] }) =>
    typeof name === 'string' && Object.hasOwn(sent, name) && !required.has(name) ? name : [],
  )
  dropped.push(...refused)
  const kept = withoutProperties(whole, refused)
  const added = [...required].filter((name) => properties.has(name) && !Object.hasOwn(kept, name))
  const record = { ...kept, ...Object.fromEntries(added.map((name) => [name, generateProperty(model, name)])) }
  const [error] = refused.length + added.length === 0 ? errors : checkRecord(model, record)
  if (error) return { id, dropped, sent, reason: error.message }
  const inPlace = placed.others ? { ...record, $parents: placed.others } : record
  return { id, added: [...inside.added, ...added], dropped, sent, record: inPlace }
}

type ChangedNames = Readonly<Record<'added' | 'dropped', string[]>>

/** Fits the objects inside of a property: leaves out what their schemas do not allow, and makes up what they require. @param names - Gets their paths. */
function fitInside(contract: Contract, schema: JsonObject, value: unknown, path: string, names: ChangedNames): unknown {
  const items = itemsOf(schema)
  if (items && Array.isArray(value)) return value.map((item: unknown) => fitInside(contract, items, item, path, names))
  const object = isObject(value) ? objectSchema(schema) : undefined
  if (!isObject(value) || !object) return value
  const { closed, properties, required } = object
  const unknown = Object.keys(value).filter((name) => closed && !properties.has(name))
  const missing = [...required].filter((name) => !Object.hasOwn(value, name) && properties.has(name))
  names.dropped.push(...unknown.map((name) => `${path}.${name}`))
  names.added.push(...missing.map((name) => `${path}.${name}`))
  return Object.fromEntries([
    ...Object.entries(value).flatMap(([name, inner]) =>
      unknown.includes(name)
        ? []
        : [[name, fitInside(contract, properties.get(name) ?? {}, inner, `${path}.${name}`, names)] as const],
    ),
    ...missing.map((name) => [name, contract.generate(properties.get(name) ?? {})] as const),
  ])
}

/**
 * Each list has an item at most once. The order agrees with all lists if there is such an order, otherwise with the first list.
 * @returns The order of all items, and the indexes of the lists that have another order.
 */
export function mergeOrders(lists: readonly (readonly string[])[]) {
  const followers = new Map<string, string[]>()
  // The number of places after an item that is not in the order yet.
  const waiting = new Map<string, number>()
  for (const list of lists)
    for (const [index, item] of list.entries()) {
      const previous = list[index - 1]
      waiting.set(item, (waiting.get(item) ?? 0) + (previous === undefined ? 0 : 1))
      if (previous !== undefined) followers.set(previous, [...(followers.get(previous) ?? []), item])
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
  const agrees = (list: readonly string[]): boolean => list.every((item, at) => rankOf(list[at - 1]) < rankOf(item))
  return { order: [...rank.keys()], contradicted: lists.flatMap((list, index) => (agrees(list) ? [] : [index])) }
}
