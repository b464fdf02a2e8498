/** Pulls the state of a real service: lists every collection as each caller, and creates a fixture document of it. Only reads. */
import { isDeepStrictEqual } from 'node:util'

import type { Json } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import { plural } from '../error-message.js'
import { idOf } from '../resources/infer/id-property.js'
import type { Service } from '../resources/load-service.js'
import type { Collection } from '../resources/resources.js'
import type { ServiceRequest } from '../send-request.js'
import { collectRecords, type LeftOut } from './pulled-records.js'
import {
  firstQueries,
  type ListingRequests,
  type ListingSource,
  type ReadListing,
  readListing,
  recordOf,
} from './read-listing.js'
import type { GivenValues } from './requests.js'
import { credentialFor, fillPath, isSegment, requiredQuery, withCredential, withQuery } from './requests.js'
import { type Exchange, isSuccess, RunError, type ServiceClient } from './service-client.js'

export interface RealCaller {
  readonly name: string
  readonly token: string
  /** The environment variable that has the token. */
  readonly variable: string
}

interface PullOptions {
  readonly service: Service
  readonly client: ServiceClient
  /** In the order of the command line. Empty if no operation is secured. */
  readonly callers: readonly RealCaller[]
  /** Parents that no listing names, and parameters that a listing requires. Default: none. */
  readonly values?: GivenValues | undefined
  /** Other values, each with those of `values` for the other parameters. They name further records to read. Default: none. */
  readonly otherValues?: readonly GivenValues[] | undefined
  /** True if only listings are read, and no single record. Default false. */
  readonly listsOnly?: boolean
  /** True if the notes and the progress name the template of a path, not the path with its ids. Default false. */
  readonly hidesIds?: boolean
  readonly onProgress?: ((line: string) => void) | undefined
}

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
  /** By collection, path and caller. */
  readonly listings: readonly PulledListing[]
}

/** The records between two lines of progress. */
const recordsOfProgress = 1000

/** A listing as one caller sees it. */
export interface PulledListing extends Omit<ReadListing, 'items'> {
  /** The number of items, also of those that are not records. */
  readonly count: number
  readonly source: ListingSource
  /** Undefined: the operation is not secured. */
  readonly caller: RealCaller | undefined
  /** Its records as they were sent, in its order, by id as JSON. */
  readonly records: ReadonlyMap<string, JsonObject>
}

/**
 * Pulls the state of a service, until a limit of the client is reached. A listing that cannot be read is `cut`.
 * @throws {RunError} The service has ended the run, or no listing can be read.
 */
export async function pullState(options: PullOptions): Promise<PulledState> {
  const { callers, client, hidesIds = false, listsOnly = false, onProgress, service, values = new Map() } = options
  checkCallers(service, callers)
  const cut: string[] = []
  const notes: string[] = []
  const listings: PulledListing[] = []
  const names = callers.map(({ name }) => name)
  const records = collectRecords(service, names, values)
  /** The collections whose listings show whole records. */
  const whole = new Set<Collection>()
  let failed: RunError | undefined
  for (const listed of listedCollections(service)) {
    records.begin(listed.collection)
    let isRefused = false
    for (const caller of listed.operation.secured ? callers : [undefined]) {
      if (isRefused) break
      const places = records.parentPlaces(listed.collection, caller?.name)
      if (typeof places === 'string') {
        notes.push(places)
        break
      }
      for (const parents of places) {
        const template = listed.operation.path
        const path = fillPath(template, parents)
        const named = `${hidesIds ? template : path}${asCaller(caller)}`
        const notRead = client.limitReached
        if (notRead !== undefined) {
          cut.push(`${named} was not read: ${notRead}.`)
          continue
        }
        const source = { ...listed, parents, path, title: `${client.url}${named}` }
        const say = (line: string): void => onProgress?.(`${named}: ${line}`)
        let said = 0
        const requests: ListingRequests = {
          required: requiredQuery(service.contract, listed.operation, values),
          ask: (query) => sendWithinLimits(client, listRequest(source, caller, query)),
          stopped: () => client.limitReached,
          onPage: (count) => {
            if (count < said + recordsOfProgress) return
            said = count
            say(`${count} records so far`)
          },
        }
        const read = await readListing(source, requests).catch((error: unknown) => {
          if (!(error instanceof RunError) || client.isEnded) throw error
          failed ??= error
          isRefused = listed.collection.model.parents.length === 0
          cut.push(error.message)
        })
        if (!read) continue
        if (read.cut !== undefined) cut.push(`${named} seems to be cut: ${read.cut}.`)
        const { items, ...listing } = read
        const isWhole = listsOnly || whole.has(listed.collection)
        const details = isWhole ? new Map<string, JsonObject>() : await readRecords(options, source, caller, items)
        if (items.length > 0 && details.size === 0) whole.add(listed.collection)
        const kept = records.keep(source, named, caller?.name, items, details)
        listings.push({ ...listing, count: items.length, records: kept, source, caller })
        const byId = details.size > 0 ? `, and ${details.size} records by their ids` : ''
        say(`${items.length} records, ${plural(read.requests, 'request')}${byId}`)
      }
    }
  }
  if (failed && listings.length === 0) throw failed
  for (const collection of listsOnly ? [] : unlistedCollections(service))
    for (const read of givenReads(collection, options)) notes.push(...(await readGiven(options, read, records.keep)))
  const { document, notes: ofOrder } = records.toDocument()
  const [leftOut, dropped] = [[...records.leftOut.values()], [...records.dropped]]
  return { document, leftOut, dropped, cut, notes: [...notes, ...ofOrder], listings }
}

/** Finds the reads of a collection without a listing that the values name, at least one. `missing` are the parameters without a value. */
function givenReads(
  collection: Collection,
  { otherValues = [], values = new Map() }: Pick<PullOptions, 'otherValues' | 'values'>,
) {
  const { model, operations } = collection
  const operation = operations.get('read')
  const names = [...model.parents.map(({ parameter }) => parameter), model.parameter?.name ?? '']
  const reads = [values, ...otherValues].map((each) => {
    const path = fillPath(operation?.path ?? '', Object.fromEntries(each))
    return { collection, operation, path, values: each, missing: names.filter((name) => !each.has(name)) }
  })
  return reads.filter((one, at) => reads.findIndex(({ path }) => path === one.path) === at)
}

/**
 * Reads the record that `--value` names of a collection without a listing, as each caller. @param keep - Gets it.
 * @returns The notes about what could not be read, in sentences.
 */
async function readGiven(
  { callers, client, hidesIds = false, onProgress, service }: PullOptions,
  { collection, missing, operation, path, values }: ReturnType<typeof givenReads>[number],
  keep: ReturnType<typeof collectRecords>['keep'],
): Promise<readonly string[]> {
  const { model, name } = collection
  const shown = model.shown.find((each) => each.operation === operation)
  if (!operation || !model.parameter || !shown) return [`${name} cannot be listed, so it is empty.`]
  if (missing.length > 0) {
    const flags = missing.map((each) => `--value ${each}=<value>`).join(' ')
    return [`${name} cannot be listed, so it is empty. ${flags} names a record to read.`]
  }
  const parents = Object.fromEntries(model.parents.map(({ parameter }) => [parameter, values.get(parameter)]))
  const query = requiredQuery(service.contract, operation, values)
  const notes: string[] = []
  for (const caller of operation.secured ? callers : [undefined]) {
    const exchange = await sendWithinLimits(client, listRequest({ operation, path }, caller, query))
    const record = isSuccess(exchange) ? shown.recordsIn(exchange.json)[0] : undefined
    const why = 'failure' in exchange ? exchange.failure : `answers ${exchange.status}`
    const named = `${hidesIds ? operation.path : path}${asCaller(caller)}`
    if (record) {
      keep({ collection, parents }, named, caller?.name, [record], new Map())
      onProgress?.(`${named}: 1 record`)
    } else notes.push(`${name} cannot be listed, and ${named} ${why}.`)
  }
  return notes
}

/**
 * Reads the records of a listing by their ids: the first, and if that shows other values than the listing, each.
 * @returns What the reads show, by id as JSON. A record that cannot be read has no entry.
 */
async function readRecords(
  { client, service, values }: PullOptions,
  source: ListingSource,
  caller: RealCaller | undefined,
  items: readonly Json[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const { collection, parents } = source
  const { model, operations } = collection
  const operation = operations.get('read')
  const shown = model.shown.find((each) => each.operation === operation)
  const details = new Map<string, JsonObject>()
  if (!operation || !shown || model.parameter === undefined) return details
  const query = requiredQuery(service.contract, operation, values)
  for (const item of items) {
    const listed = recordOf(source, item) ?? {}
    const id = idOf(model, listed)
    if (!isSegment(id)) continue
    if (client.limitReached !== undefined) break
    const path = fillPath(operation.path, { ...parents, [model.parameter.name]: id })
    const exchange = await sendWithinLimits(client, listRequest({ operation, path }, caller, query))
    const record = isSuccess(exchange) ? shown.recordsIn(exchange.json)[0] : undefined
    // Some listings hide the value of a secret.
    const isOther = Object.entries(record ?? {}).some(
      ([name, value]) => model.recordModel.properties.has(name) && !isDeepStrictEqual(value, listed[name]),
    )
    if (record && isOther) details.set(JSON.stringify(id), record)
    else if (details.size === 0) break
  }
  return details
}

/** Sends a request. A limit that ends the run is a failure, so that the records before it are not lost. */
async function sendWithinLimits(client: ServiceClient, request: ServiceRequest): Promise<Exchange> {
  try {
    return await client.send(request)
  } catch (error) {
    const failure = client.limitReached
    if (failure === undefined || !(error instanceof RunError)) throw error
    return { failure }
  }
}

/** Lists the first requests of a pull. Paged listings and nested collections need further ones. */
export function planPull(
  options: Pick<PullOptions, 'callers' | 'otherValues' | 'service' | 'values'>,
): readonly string[] {
  const { callers, service, values = new Map<string, string>() } = options
  checkCallers(service, callers)
  const listed = listedCollections(service)
  if (listed.length === 0)
    throw new RunError('The contract has nothing to pull: none of its operations lists a collection.')
  const reads = unlistedCollections(service).flatMap((collection) => givenReads(collection, options))
  const given = reads.flatMap(({ missing, operation, path, values: own }) => {
    if (!operation || missing.length > 0) return []
    const target = withQuery(path, requiredQuery(service.contract, operation, own))
    return (operation.secured ? callers : [undefined]).map((caller) => `GET ${target}${asCaller(caller)}`)
  })
  const ofLists = listed.flatMap(({ collection, decision, operation }) => {
    const read = collection.operations.get('read')
    return (operation.secured ? callers : [undefined]).flatMap((caller) => {
      const as = asCaller(caller)
      const nested = collection.model.parents.length > 0 ? ' for each parent' : ''
      const queries = firstQueries(decision, requiredQuery(service.contract, operation, values))
      const lists = queries.map((query) => `GET ${withQuery(operation.path, query)}${as}${nested}`)
      const when = 'for the first record, and for each if that shows other values'
      return read ? [...lists, `GET ${read.path}${as} ${when}`] : lists
    })
  })
  return [...ofLists, ...given]
}

const asCaller = (caller: RealCaller | undefined): string => (caller ? ` as ${caller.name}` : '')

const unlistedCollections = ({ resources }: Service): readonly Collection[] =>
  resources.collections.filter(({ operations }) => !operations.has('list'))

type ListedCollection = Pick<ListingSource, 'collection' | 'decision' | 'operation'>

/** Lists the collections that have a listing, parents before their children. */
function listedCollections({ decisionFor, resources }: Service): readonly ListedCollection[] {
  const listed = resources.collections.flatMap((collection) => {
    const operation = collection.operations.get('list')
    const decision = operation && decisionFor(operation)
    return decision && decision.role !== 'mocked' ? [{ collection, operation, decision }] : []
  })
  return listed.toSorted((one, other) => one.collection.model.parents.length - other.collection.model.parents.length)
}

function checkCallers({ contract }: Service, callers: readonly RealCaller[]): void {
  const hint = 'Give each caller and the environment variable of its token: --caller ada=env:ADA_TOKEN.'
  if (callers.length === 0 && contract.operations.some(({ secured }) => secured))
    throw new RunError(`The contract needs a credential. ${hint}`)
}

function listRequest(at: Pick<ListingSource, 'operation' | 'path'>, caller: RealCaller | undefined, query: string) {
  const { operation, path } = at
  const credential = credentialFor(operation, caller?.token)
  const headers = { accept: 'application/json', ...credential.headers }
  return { method: 'GET', target: withCredential(withQuery(path, query), credential), headers }
}
