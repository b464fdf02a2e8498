import type { Json } from '../contract/contract.js'
import { isObject, type JsonObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import type { RecordListBody } from '../resources/infer/collection-model.js'
import { type IdPlace, idOf } from '../resources/infer/id-property.js'
import { entryKey } from '../resources/infer/parents.js'
import type { Collection } from '../resources/resources.js'
import { compareValues, type Difference, distinct, patternOf, valueDifference } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder } from './probe.js'
import type { ProbeCreation } from './run-probes.js'
import type { SpecPath } from './spec-places.js'

interface ListingRules {
  readonly placeOf: (path: readonly Segment[]) => SpecPath
  readonly isNoise: (pattern: string) => boolean
  /** Tells whether a value is a violation already. */
  readonly isKnown: (pattern: string) => boolean
  /** True if the service keeps the order of its records. */
  readonly isOrdered: boolean
}

export function compareListings(
  { model, name }: Collection,
  double: ServiceResponse,
  service: ServiceResponse,
  { pulled }: ProbeContext,
  creation: ProbeCreation,
  tests: SpecPath,
  rules: ListingRules,
): readonly Difference[] {
  const { listBody } = model
  if (typeof listBody !== 'object') return []
  const leftOut = new Set(
    pulled.leftOut
      .filter(({ collection }) => collection === name)
      .map(({ id }) => (id === undefined ? '' : String(JSON.parse(id)))),
  )
  const ours = recordsOfListing(double.json, model, listBody, creation.doubleIds)
  const theirs = recordsOfListing(service.json, model, listBody, creation.serviceIds).filter(
    ({ id, record }) => !leftOut.has(id) && idOf(model, record) !== undefined,
  )
  return [
    // Records that break the contract are not in the double, so a capped listing cannot have the same records.
    ...(leftOut.size === 0 ? compareMembers(ours, theirs, rules, tests) : []),
    ...compareOrder(ours, theirs, rules),
    ...compareRecords(ours, theirs, creation, rules),
    ...compareEnvelopes(double.json, service.json, listBody, creation, rules),
  ]
}

interface ListedRecord {
  /** The id, or the placeholder of the record that the probe created. */
  readonly id: string
  readonly record: JsonObject
  /** Its path in the body. */
  readonly path: readonly Segment[]
}

/** Reads the records of a listing. @param created - The ids of the records that the probe created. */
function recordsOfListing(
  json: Json | undefined,
  model: IdPlace,
  listBody: RecordListBody,
  created: readonly string[],
): readonly ListedRecord[] {
  const items = listBody.itemsIn(json) ?? []
  const toItems = isObject(json) ? Object.keys(json).filter((key) => json[key] === items) : []
  return items.map((item, index) => {
    const record = listBody.record.fromBody(item) ?? {}
    const id = entryKey(idOf(model, record) ?? `without an id, ${index}`, [])
    const at = created.indexOf(id)
    return { id: at === -1 ? id : `${createdIdPlaceholder}${at}`, record, path: [...toItems, index] }
  })
}

const byId = (records: readonly ListedRecord[]): ReadonlyMap<string, ListedRecord> =>
  new Map(records.map((each) => [each.id, each]))

function withIdsOf(records: readonly ListedRecord[], others: readonly ListedRecord[]): readonly ListedRecord[] {
  const known = byId(others)
  return records.filter(({ id }) => known.has(id))
}

/** Compares which records the listings have. If they have no order, a cap can leave out any record, so only their number counts. */
function compareMembers(
  ours: readonly ListedRecord[],
  theirs: readonly ListedRecord[],
  { isOrdered }: ListingRules,
  place: SpecPath,
): readonly Difference[] {
  const what = `the service sends ${theirs.length} records, the double ${ours.length}`
  if (!isOrdered) return ours.length === theirs.length ? [] : [{ part: 'records', what, place, path: [] }]
  const [inOurs, inTheirs] = [byId(ours), byId(theirs)]
  const missing = ours.filter(({ id }) => !inTheirs.has(id))
  const extra = theirs.filter(({ id }) => !inOurs.has(id))
  if (missing.length === 0 && extra.length === 0) return []
  const names = `${namesOf('lacks', missing)}${namesOf('adds', extra)}`
  const [path, servicePath] = [missing[0]?.path ?? [], extra[0]?.path ?? []]
  return [{ part: 'records', what: `${what}${names}`, place, path, servicePath }]
}

function compareOrder(
  ours: readonly ListedRecord[],
  theirs: readonly ListedRecord[],
  { isOrdered, placeOf }: ListingRules,
): readonly Difference[] {
  if (!isOrdered) return []
  const common = withIdsOf(ours, theirs)
  const commonTheirs = withIdsOf(theirs, ours)
  const moved = common.findIndex(({ id }, index) => commonTheirs[index]?.id !== id)
  if (moved === -1) return []
  const what = 'the service sends the same records in another order'
  const [path, servicePath] = [common[moved]?.path ?? [], commonTheirs[moved]?.path ?? []]
  return [{ part: 'order', what, place: placeOf([]), path, servicePath }]
}

/** Compares the values of the records that both listings have. Leaves out values that are violations already. */
function compareRecords(
  ours: readonly ListedRecord[],
  theirs: readonly ListedRecord[],
  { sent }: ProbeCreation,
  { isKnown, isNoise, placeOf }: ListingRules,
): readonly Difference[] {
  const inTheirs = byId(theirs)
  const values = withIdsOf(ours, theirs).flatMap(({ id, path: at, record }) => {
    const other = inTheirs.get(id)
    return compareValues(record as Json, other?.record as Json, {
      isNoise: (pattern) => isNoise(`[].${pattern}`),
      isMadeUp: (path) => id.startsWith(createdIdPlaceholder) && !sent.has(String(path[0])),
    }).map(({ path, ...value }) => ({
      ...value,
      path: [...at.slice(-1), ...path],
      inDouble: [...at, ...path],
      inService: [...(other?.path ?? []), ...path],
    }))
  })
  return distinct(values)
    .filter(({ inDouble }) => !isKnown(patternOf(inDouble)))
    .map((value) => ({
      ...valueDifference(value, placeOf(value.inDouble)),
      path: value.inDouble,
      servicePath: value.inService,
    }))
}

/** Compares the envelopes. A listing that is an array has none. */
function compareEnvelopes(
  ours: Json | undefined,
  theirs: Json | undefined,
  listBody: RecordListBody,
  { doubleIds }: ProbeCreation,
  { isNoise, placeOf }: ListingRules,
): readonly Difference[] {
  if (Array.isArray(ours)) return []
  const values = compareValues(withoutLists(ours), withoutLists(theirs), {
    isNoise,
    isMadeUp: (path) => listBody.filled.includes(path.join('.')) || doubleIds.length > 0,
  })
  return distinct(values).map((value) => valueDifference(value, placeOf(value.path)))
}

const withoutLists = (body: Json | undefined): Json | undefined =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))) : undefined

const namesOf = (verb: 'lacks' | 'adds', records: readonly ListedRecord[]): string => {
  const ids = records.slice(0, 3).map(({ id }) => id)
  const more = records.length > 3 ? ` and ${records.length - 3} more` : ''
  return ids.length === 0 ? '' : `; the service ${verb} ${ids.join(', ')}${more}`
}
