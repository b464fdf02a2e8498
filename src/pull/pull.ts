/** Pulls the state of a real service: lists every collection as each caller, and creates a fixture document of it. Only reads. */
import { isDeepStrictEqual } from 'node:util'

import type { Json, Operation } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import type { Service } from '../resources/load-service.js'
import type { Collection } from '../resources/resources.js'
import type { StatefulDecision } from '../resources/roles/role.js'
import type { ListingOrder, PulledRecords } from './create-document.js'
import { createDocument } from './create-document.js'
import { noCredential, placeToken, requiredSchemes } from './place-token.js'
import type { ListingSource, ReadListing } from './read-listing.js'
import { firstQueries, readListing } from './read-listing.js'
import { requiredQuery } from './required-query.js'
import { RunError } from './run-error.js'
import type { Exchange, ServiceClient, ServiceRequest } from './service-client.js'
import { takeRecord } from './take-record.js'

/** A caller of the real service. */
export interface RealCaller {
  readonly name: string
  readonly token: string
  /** The environment variable that has the token. */
  readonly variable: string
}

/** The options of a pull. */
export interface PullOptions {
  readonly service: Service
  readonly client: ServiceClient
  /** In the order of the command line. Empty if no operation is secured. */
  readonly callers: readonly RealCaller[]
  /** True if the notes and the progress name the template of a path, not the path with its ids. Default false. */
  readonly hidesIds?: boolean
  /** Called with each line of progress. */
  readonly onProgress?: ((line: string) => void) | undefined
}

/** A record that a pull left out. */
interface LeftOut {
  readonly collection: string
  /** The id as JSON. Undefined: it has none. */
  readonly id: string | undefined
  readonly reason: string
}

/** The state of a service. */
export interface PulledState {
  /** A fixture document, with the access that the listings show, and in an order that agrees with all of them if there is one. */
  readonly document: JsonObject
  readonly leftOut: readonly LeftOut[]
  /** Properties that the contract does not have, as `collection.property`. */
  readonly dropped: readonly string[]
  /** Listings that seem to be cut, in sentences. Empty: the state is complete. */
  readonly cut: readonly string[]
  /** The parts that could not be pulled, in sentences. */
  readonly notes: readonly string[]
  /** The content of each listing, by collection, path and caller. */
  readonly listings: readonly PulledListing[]
}

/** A listing as one caller sees it. */
export interface PulledListing extends ReadListing {
  readonly source: ListingSource
  /** Undefined: the operation is not secured. */
  readonly caller: RealCaller | undefined
  /** The ids in the order of the listing, as JSON. */
  readonly ids: readonly string[]
}

/** The number of pages between two lines of progress. */
const pagesOfProgress = 10

/** Pulls the state of a service, until a limit of the client is reached. @throws {RunError} A listing cannot be read. */
export async function pullState(options: PullOptions): Promise<PulledState> {
  const { callers, client, hidesIds = false, onProgress, service } = options
  checkCallers(service, callers)
  const cut: string[] = []
  const leftOut = new Map<string, LeftOut>()
  const dropped = new Set<string>()
  const notes: string[] = []
  const listings: PulledListing[] = []
  const orders: ListingOrder[] = []
  const found = new Map<string, PulledRecords>()
  for (const { collection, decision, operation } of listedCollections(service)) {
    const records: PulledRecords = new Map()
    found.set(collection.name, records)
    const readers = operation.secured ? callers : [undefined]
    for (const caller of readers) {
      const places = parentPlaces(collection, service, found, caller?.name)
      if (typeof places === 'string') {
        notes.push(places)
        break
      }
      for (const parents of places) {
        const path = fillPath(operation.path, parents)
        const named = `${hidesIds ? operation.path : path}${caller ? ` as ${caller.name}` : ''}`
        const source = { collection, decision, operation, path, title: `${client.url}${named}` }
        const notRead = client.limitReached()
        if (notRead !== undefined) {
          cut.push(`${named} was not read: ${notRead}.`)
          continue
        }
        let pages = 0
        let count = 0
        const read = await readListing(source, {
          required: requiredQuery(service.contract, operation),
          ask: (query) => sendWithinLimits(client, listRequest(source, caller, query)),
          stopped: client.limitReached,
          onPage: (soFar) => {
            pages += 1
            count = soFar
            if (pages % pagesOfProgress === 0) onProgress?.(`${named}: ${count} records so far`)
          },
        }).catch((error: unknown) => {
          if (pages % pagesOfProgress !== 0) onProgress?.(`${named}: ${count} records so far`)
          throw error
        })
        if (read.cut !== undefined) cut.push(`${named} seems to be cut: ${read.cut}.`)
        const kept = { records, leftOut, dropped }
        const { ids, items, keys } = keepRecords(collection, read.items, parents, caller, kept)
        listings.push({ ...read, items, source, caller, ids })
        orders.push({ collection: collection.name, title: named, keys })
        const requests = read.requests === 1 ? '1 request' : `${read.requests} requests`
        onProgress?.(`${named}: ${items.length} records, ${requests}`)
      }
    }
  }
  for (const { name, operations } of service.resources.collections)
    if (!operations.has('list')) notes.push(`${name} cannot be listed, so it is empty.`)
  const names = callers.map(({ name }) => name)
  const { document, notes: ofOrder } = createDocument(service, names, found, orders)
  return {
    document,
    leftOut: [...leftOut.values()],
    dropped: [...dropped],
    cut,
    notes: [...notes, ...ofOrder],
    listings,
  }
}

/** Sends a request. A limit that ends the run is a failure, so that the records before it are not lost. */
async function sendWithinLimits(client: ServiceClient, request: ServiceRequest): Promise<Exchange> {
  try {
    return await client.send(request)
  } catch (error) {
    const failure = client.limitReached()
    if (failure === undefined || !(error instanceof RunError)) throw error
    return { failure }
  }
}

interface Kept {
  readonly records: PulledRecords
  readonly leftOut: Map<string, LeftOut>
  readonly dropped: Set<string>
}

/** Keeps the records of a listing. @returns Its ids, keys and items. An item that an earlier caller got too is the same object, to save memory. */
function keepRecords(
  collection: Collection,
  listed: readonly Json[],
  parents: JsonObject,
  caller: RealCaller | undefined,
  { dropped, leftOut, records }: Kept,
): Pick<PulledListing, 'ids' | 'items'> & Pick<ListingOrder, 'keys'> {
  const ids: string[] = []
  const keys: string[] = []
  const items = listed.map((item) => {
    const taken = takeRecord(collection, item, parents)
    const id = taken.id === undefined ? undefined : JSON.stringify(taken.id)
    for (const name of taken.dropped) dropped.add(`${collection.name}.${name}`)
    if (id !== undefined) ids.push(id)
    if (!taken.record || id === undefined) {
      const reason = taken.reason ?? ''
      leftOut.set(`${collection.name} ${id ?? JSON.stringify(item)}`, { collection: collection.name, id, reason })
      return item
    }
    const key = JSON.stringify([parents, id])
    keys.push(key)
    const known = records.get(key) ?? { record: taken.record, item, seenBy: new Set<string>() }
    if (caller) known.seenBy.add(caller.name)
    records.set(key, known)
    return isDeepStrictEqual(item, known.item) ? known.item : item
  })
  return { ids, items, keys }
}

/** Lists the first requests of a pull. Paged listings and nested collections need further ones. */
export function planPull({ callers, service }: Pick<PullOptions, 'callers' | 'service'>): readonly string[] {
  checkCallers(service, callers)
  const listed = listedCollections(service)
  if (listed.length === 0)
    throw new RunError('The contract has nothing to pull: none of its operations lists a collection.')
  return listed.flatMap(({ collection, decision, operation }) =>
    (operation.secured ? callers : [undefined]).flatMap((caller) =>
      firstQueries(decision, requiredQuery(service.contract, operation)).map((query) => {
        const nested = collection.model.parents.length > 0 ? ' for each parent' : ''
        return `GET ${operation.path}${query === '' ? '' : `?${query}`}${caller ? ` as ${caller.name}` : ''}${nested}`
      }),
    ),
  )
}

interface ListedCollection {
  readonly collection: Collection
  readonly operation: Operation
  readonly decision: StatefulDecision
}

/** Lists the collections that have a listing, parents before their children. */
function listedCollections({ contract, decisionFor, resources }: Service): readonly ListedCollection[] {
  const listed = resources.collections.flatMap((collection) => {
    const id = collection.operations.get('list')?.id
    const operation = contract.operations.find((each) => each.id === id)
    const decision = operation && decisionFor(operation)
    return operation && decision && decision.role !== 'mocked' ? [{ collection, operation, decision }] : []
  })
  return listed.toSorted((one, other) => one.collection.model.parents.length - other.collection.model.parents.length)
}

function checkCallers({ contract }: Service, callers: readonly RealCaller[]): void {
  if (callers.length === 0 && contract.operations.some(({ secured }) => secured)) {
    throw new RunError(
      'The contract needs a credential. Give each caller and the environment variable of its token: --caller ada=env:ADA_TOKEN.',
    )
  }
}

/** Creates the request of a listing. */
function listRequest(
  { operation, path }: Pick<ListingSource, 'operation' | 'path'>,
  caller: RealCaller | undefined,
  query: string,
): ServiceRequest {
  const credential = caller ? placeToken(requiredSchemes(operation), caller.token) : noCredential
  const extra = Object.entries(credential.query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const whole = [query, ...extra].filter((part) => part !== '').join('&')
  return { method: 'GET', target: `${path}${whole === '' ? '' : `?${whole}`}`, headers: credential.headers }
}

/** Replaces the parameters of a path by the values of parents. */
export const fillPath = (path: string, values: JsonObject): string =>
  path.replaceAll(/\{([^{}]+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(String(values[name])) : whole,
  )

/** Finds the values of the parents of a collection: the ids of the collections in its path. @returns Or the reason why they are unknown. */
function parentPlaces(
  { model, name }: Collection,
  { resources }: Service,
  found: ReadonlyMap<string, PulledRecords>,
  caller: string | undefined,
): readonly JsonObject[] | string {
  let places: JsonObject[] = [{}]
  for (const { parameter } of model.parents) {
    const shape = (path: string): string => path.replaceAll(/\{[^{}]*\}/gu, '{}').replace(/\/$/u, '')
    const until = model.path.slice(0, model.path.indexOf(`{${parameter}}`) + parameter.length + 2)
    const parent = resources.collections.find((each) => shape(each.model.itemPath) === shape(until))
    const records = parent && found.get(parent.name)
    if (!records) return `${name} is not pulled: nothing lists the values of ${parameter}.`
    const visible = [...records.values()].filter(
      ({ seenBy }) => caller === undefined || seenBy.size === 0 || seenBy.has(caller),
    )
    places = places.flatMap((place) =>
      visible
        .filter(({ record }) => isUnder(record, parent, place))
        .map(({ record }) => ({ ...place, [parameter]: record[parent.model.idProperty] })),
    )
  }
  return places
}

const isUnder = (record: JsonObject, { model }: Collection, place: JsonObject): boolean =>
  model.parents.every(({ parameter, property }) => {
    const others = record['$parents'] as JsonObject | undefined
    const value = property === undefined ? others?.[parameter] : record[property]
    return !Object.hasOwn(place, parameter) || String(value) === String(place[parameter])
  })
