/** Compares listings. */
import type { Json } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import { compareValues, patternOf } from './compare-values.js'
import type { Comparison, ComparisonContext, ProbeCreation, Difference } from './differences.js'
import { distinct, valueDifference } from './differences.js'
import type { ProbeStep } from './probe.js'
import { createdIdPlaceholder } from './probe.js'
import type { SpecPath } from './spec-places.js'

/** The rules of a comparison. */
export interface ListingRules {
  readonly violations: readonly Difference[]
  readonly placeOf: (path: readonly Segment[]) => SpecPath
  readonly isNoise: (pattern: string) => boolean
}

/** Compares the records of two listings by their ids: which there are, their order, and their values; and the envelope. */
export function compareListings(
  step: ProbeStep,
  double: ServiceResponse,
  service: ServiceResponse,
  { probes, unordered }: ComparisonContext,
  { doubleId, sent, serviceId }: ProbeCreation,
  { isNoise, placeOf, violations }: ListingRules,
): Comparison {
  const collection = probes.operations.find((each) => each.operation === step.operation)?.collection
  const listBody = collection?.model.listBody
  if (!collection || typeof listBody !== 'object') return { differences: violations, tested: [] }
  const { idProperty } = collection.model
  const listed = (json: Json | undefined, created: string | undefined): readonly ListedRecord[] => {
    const items = listBody.itemsIn(json) ?? []
    const toItems = pathOfItems(json, items)
    return items.map((item, index) => {
      const record = listBody.record.fromBody(item) ?? {}
      const id = Object.hasOwn(record, idProperty) ? record[idProperty] : `without an id, ${index}`
      return { id: String(id) === created ? createdIdPlaceholder : String(id), record, path: [...toItems, index] }
    })
  }
  const leftOut = new Set(
    probes.pulled.leftOut
      .filter((each) => each.collection === collection.name)
      .map(({ id = '' }) => String(JSON.parse(id === '' ? '""' : id))),
  )
  const ours = listed(double.json, doubleId)
  const theirs = listed(service.json, serviceId).filter(
    ({ id, record }) => !leftOut.has(id) && Object.hasOwn(record, idProperty),
  )
  const differences: Difference[] = [...violations]
  const inOurs = new Map(ours.map((each) => [each.id, each]))
  const inTheirs = new Map(theirs.map((each) => [each.id, each]))
  // Records that break the contract are not in the double, so a capped listing cannot have the same records.
  const isComparable = leftOut.size === 0
  const missing = ours.filter(({ id }) => !inTheirs.has(id))
  const extra = theirs.filter(({ id }) => !inOurs.has(id))
  if (isComparable && !unordered.has(collection.name) && (missing.length > 0 || extra.length > 0)) {
    const what = `the service sends ${theirs.length} records, the double ${ours.length}${namesOf('lacks', missing)}${namesOf('adds', extra)}`
    const path = missing[0]?.path ?? []
    differences.push({ part: 'records', what, place: step.tests, path, servicePath: extra[0]?.path ?? [] })
  } else if (isComparable && unordered.has(collection.name) && ours.length !== theirs.length) {
    differences.push({
      part: 'records',
      what: `the service sends ${theirs.length} records, the double ${ours.length}`,
      place: step.tests,
      path: [],
    })
  }
  const common = ours.filter(({ id }) => inTheirs.has(id))
  const commonTheirs = theirs.filter(({ id }) => inOurs.has(id))
  const moved = common.findIndex(({ id }, index) => commonTheirs[index]?.id !== id)
  if (!unordered.has(collection.name) && moved !== -1) {
    const what = 'the service sends the same records in another order'
    const [path, servicePath] = [common[moved]?.path ?? [], commonTheirs[moved]?.path ?? []]
    differences.push({ part: 'order', what, place: placeOf([]), path, servicePath })
  }
  const known = new Set(violations.map(({ path }) => patternOf(path ?? [])))
  const values = common.flatMap(({ id, path: at, record }) => {
    const other = inTheirs.get(id)
    return compareValues(record as Json, other?.record as Json, {
      isNoise: (pattern) => isNoise(`[].${pattern}`),
      isMadeUp: (path) => id === createdIdPlaceholder && !sent.has(String(path[0])),
    }).map(({ path, ...value }) => ({
      ...value,
      path: [...at.slice(-1), ...path],
      inDouble: [...at, ...path],
      inService: [...(other?.path ?? []), ...path],
    }))
  })
  for (const value of distinct(values)) {
    const { inDouble, inService } = value
    if (known.has(patternOf(inDouble))) continue
    differences.push({
      ...valueDifference(value, placeOf(inDouble)),
      path: inDouble,
      servicePath: inService,
    })
  }
  const envelope = compareValues(withoutItems(double.json), withoutItems(service.json), {
    isNoise,
    isMadeUp: (path) => listBody.filled.includes(path.join('.')) || doubleId !== undefined,
  })
  if (!Array.isArray(double.json))
    for (const value of distinct(envelope)) differences.push(valueDifference(value, placeOf(value.path)))
  return { differences, tested: [] }
}

/** A record of a listing. */
interface ListedRecord {
  /** The id, or the mark of the record that the probe created. */
  readonly id: string
  readonly record: JsonObject
  /** Its path in the body. */
  readonly path: readonly Segment[]
}

/** The path of the items in the body. */
function pathOfItems(body: Json | undefined, items: unknown): readonly Segment[] {
  const name = isObject(body) ? Object.keys(body).find((key) => body[key] === items) : undefined
  return name === undefined ? [] : [name]
}

/** The envelope without its lists. */
const withoutItems = (body: Json | undefined): Json | undefined =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))) : undefined

const namesOf = (verb: 'lacks' | 'adds', records: readonly ListedRecord[]): string => {
  const ids = records.slice(0, 3).map(({ id }) => id)
  const more = records.length > 3 ? ` and ${records.length - 3} more` : ''
  return ids.length === 0 ? '' : `; the service ${verb} ${ids.join(', ')}${more}`
}
