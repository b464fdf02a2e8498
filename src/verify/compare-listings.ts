/** Compares listings. */
import type { Json } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import { compareValues, patternOf } from './compare-values.js'
import type { Comparison, ComparisonContext, Creation, Difference } from './differences.js'
import { distinct, valueDifference } from './differences.js'
import type { Step } from './probe.js'
import { createdId } from './probe.js'
import type { SpecPath } from './spec-places.js'

/** The rules of a comparison. */
export interface ListingRules {
  readonly violations: readonly Difference[]
  readonly placeOf: (path: readonly Segment[]) => SpecPath
  readonly isNoise: (pattern: string) => boolean
}

/** Compares the records of two listings by their ids: which there are, their order, and their values; and the envelope. */
export function compareListings(
  step: Step,
  double: ServiceResponse,
  service: ServiceResponse,
  { probes, unordered }: ComparisonContext,
  { doubleId, sent, serviceId }: Creation,
  { isNoise, placeOf, violations }: ListingRules,
): Comparison {
  const collection = probes.operations.find((each) => each.operation === step.operation)?.collection
  const listBody = collection?.model.listBody
  if (!collection || typeof listBody !== 'object') return { differences: violations, tested: [] }
  const { idProperty } = collection.model
  const keyed = (json: Json | undefined, created: string | undefined): readonly (readonly [string, JsonObject])[] =>
    (listBody.itemsIn(json) ?? []).map((item, index) => {
      const record = listBody.record.fromBody(item) ?? {}
      const id = Object.hasOwn(record, idProperty) ? record[idProperty] : `without an id, ${index}`
      return [String(id) === created ? createdId : String(id), record]
    })
  const leftOut = new Set(
    probes.pulled.leftOut
      .filter((each) => each.collection === collection.name)
      .map(({ id = '' }) => String(JSON.parse(id === '' ? '""' : id))),
  )
  const ours = keyed(double.json, doubleId)
  const theirs = keyed(service.json, serviceId).filter(
    ([id, record]) => !leftOut.has(id) && Object.hasOwn(record, idProperty),
  )
  const differences: Difference[] = [...violations]
  const inOurs = new Map(ours)
  const inTheirs = new Map(theirs)
  // Records that break the contract are not in the double, so a capped listing cannot have the same records.
  const isComparable = leftOut.size === 0
  const missing = ours.filter(([id]) => !inTheirs.has(id)).map(([id]) => id)
  const extra = theirs.filter(([id]) => !inOurs.has(id)).map(([id]) => id)
  if (isComparable && !unordered.has(collection.name) && (missing.length > 0 || extra.length > 0)) {
    const what = `the service sends ${theirs.length} records, the double ${ours.length}${namesOf(' it lacks', missing)}${namesOf(' it adds', extra)}`
    differences.push({ part: 'records', what, place: step.tests, path: [] })
  } else if (isComparable && unordered.has(collection.name) && ours.length !== theirs.length) {
    differences.push({
      part: 'records',
      what: `the service sends ${theirs.length} records, the double ${ours.length}`,
      place: step.tests,
      path: [],
    })
  }
  const common = (
    list: readonly (readonly [string, JsonObject])[],
    other: ReadonlyMap<string, JsonObject>,
  ): readonly string[] => list.map(([id]) => id).filter((id) => other.has(id))
  if (!unordered.has(collection.name) && common(ours, inTheirs).join('\n') !== common(theirs, inOurs).join('\n')) {
    const what = 'the service sends the same records in another order'
    differences.push({ part: 'order', what, place: placeOf([]), path: [] })
  }
  const values = ours.flatMap(([id, record], index) => {
    const other = inTheirs.get(id)
    if (!other) return []
    return compareValues(record as Json, other as Json, {
      isNoise: (pattern) => isNoise(`[].${pattern}`),
      isMadeUp: (path) => id === createdId && !sent.has(String(path[0])),
    }).map((value) => ({ ...value, path: [index, ...value.path] }))
  })
  const known = new Set(violations.map(({ path }) => patternOf(path ?? [])))
  const itemSchema = (path: readonly Segment[]): SpecPath =>
    placeOf(bodyPath(double.json, listBody.itemsIn(double.json), path))
  for (const value of distinct(values))
    if (!known.has(patternOf(value.path))) differences.push(valueDifference(value, itemSchema(value.path)))
  const envelope = compareValues(withoutItems(double.json), withoutItems(service.json), {
    isNoise,
    isMadeUp: (path) => listBody.filled.includes(path.join('.')) || doubleId !== undefined,
  })
  if (!Array.isArray(double.json))
    for (const value of distinct(envelope)) differences.push(valueDifference(value, placeOf(value.path)))
  return { differences, tested: [] }
}

/** The path of an item's value in the whole body. */
function bodyPath(body: Json | undefined, items: unknown, path: readonly Segment[]): readonly Segment[] {
  if (!isObject(body)) return path
  const name = Object.keys(body).find((key) => body[key] === items)
  return name === undefined ? path : [name, ...path]
}

/** The envelope without its lists. */
const withoutItems = (body: Json | undefined): Json | undefined =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))) : undefined

const namesOf = (verb: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `;${verb} ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`
