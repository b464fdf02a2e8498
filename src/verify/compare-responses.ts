import type { Json } from '../contract/contract.js'
/** Compares the responses of the service and of the double to the same request. */
import { documentedResponse } from '../contract/validate-response.js'
import { isObject } from '../documents/object.js'
import type { JsonObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import type { ValueDifference } from './compare-values.js'
import { compareValues, patternOf, typeOf } from './compare-values.js'
import type { ProbeContext } from './probe-context.js'
import type { Step } from './probe.js'
import { createdId } from './probe.js'
import type { SpecPath } from './spec-places.js'
import { bodyCursor, headerCursor, responseCursor, schemaAt } from './spec-places.js'

/** One part of two responses that differs. */
export interface Difference {
  readonly part: 'status' | 'media type' | 'header' | 'body' | 'records' | 'order' | 'schema'
  /** A sentence without a full stop. */
  readonly what: string
  /** The place of the spec that it is about. */
  readonly place: SpecPath
  /** The path in the body. Undefined: it is not about the body. */
  readonly path?: readonly Segment[]
  /** The name of the header. */
  readonly header?: string
  /** The violated keyword. */
  readonly keyword?: string
  readonly value?: ValueDifference
}

/** What a comparison needs to know of the run. */
export interface ComparisonContext {
  readonly probes: ProbeContext
  /** Patterns of noise by operation. */
  readonly noise: ReadonlyMap<string, ReadonlySet<string>>
  /** Collections whose listings change their order by themselves. */
  readonly unordered: ReadonlySet<string>
}

/** The result of a comparison. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** Places that were compared, besides that of the status. */
  readonly tested: readonly SpecPath[]
}

/** The ids of records that a probe created, and the properties that it sent. */
export interface Creation {
  readonly doubleId: string | undefined
  readonly serviceId: string | undefined
  readonly sent: ReadonlySet<string>
}

/** Compares status, media type, headers and body. */
export function compareResponses(
  step: Step,
  double: ServiceResponse,
  service: ServiceResponse,
  context: ComparisonContext,
  creation: Creation,
): Comparison {
  if (double.status !== service.status) {
    const what = `the service answers ${service.status}, the double ${double.status}`
    return { differences: [{ part: 'status', what, place: step.tests }], tested: [] }
  }
  const response = documentedCursor(step, double.status, context.probes)
  const hasBody = step.method !== 'HEAD' && double.text !== ''
  const compared: Comparison[] = [
    compareMediaTypes(double, service, response?.at('content').path ?? step.tests),
    compareHeaders(double, service, response, step),
  ]
  const isMediaEqual = compared[0]?.differences.length === 0
  if (step.method !== 'HEAD' && isMediaEqual && (hasBody || service.text !== ''))
    compared.push(compareBodies(step, double, service, context, creation))
  return {
    differences: compared.flatMap(({ differences }) => differences),
    tested: compared.flatMap(({ tested }) => tested),
  }
}

/** Finds the documented response for a status. An error that belongs to no operation, or is not documented, has the shape of other errors. */
function documentedCursor(
  { operation }: Step,
  status: number,
  { contract, operations }: ProbeContext,
): ReturnType<typeof responseCursor> {
  const own = operation && responseCursor(contract, operation, status)
  if (own || status < 400) return own
  const others = [status, 400, 404, 422, 500].flatMap((each) =>
    operations.map((probed) => responseCursor(contract, probed.operation, each)),
  )
  return others.find((each) => each !== undefined)
}

function compareMediaTypes(double: ServiceResponse, service: ServiceResponse, place: SpecPath): Comparison {
  const charset = /charset="?([\w-]+)/iu.exec(service.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const of = (mediaType: string): string => (mediaType === '' ? 'none' : mediaType)
  const what =
    double.mediaType !== service.mediaType
      ? `the service sends the media type ${of(service.mediaType)}, the double ${of(double.mediaType)}`
      : charset.toLowerCase() !== 'utf-8'
        ? `the service sends the charset ${charset}, and JSON is utf-8`
        : undefined
  return { differences: what === undefined ? [] : [{ part: 'media type', what, place }], tested: [] }
}

/** Compares the headers that the contract documents, and the challenge of a 401. */
function compareHeaders(
  double: ServiceResponse,
  service: ServiceResponse,
  response: ReturnType<typeof responseCursor>,
  step: Step,
): Comparison {
  const documented =
    response
      ?.at('headers')
      .children()
      .map(([name]) => name.toLowerCase()) ?? []
  const names = new Set([...documented, ...(double.status === 401 ? ['www-authenticate'] : [])])
  const differences: Difference[] = []
  const tested: SpecPath[] = []
  for (const header of names) {
    if (header === 'content-type') continue
    const ours = double.headers[header]
    const theirs = service.headers[header]
    const place = (header === 'www-authenticate' ? undefined : headerCursor(response, header)?.path) ?? step.tests
    const isCompared = ours !== undefined || theirs !== undefined
    if (isCompared) tested.push(place)
    const isEqual =
      header === 'www-authenticate'
        ? challengeOf(ours) === challengeOf(theirs)
        : (ours === undefined) === (theirs === undefined)
    const shown = (value: string | undefined): string => (value === undefined ? 'none' : value.slice(0, 200))
    if (!isEqual) {
      const what = `the service sends the header ${header}: ${shown(theirs)}, the double ${shown(ours)}`
      differences.push({ part: 'header', what, place, header })
    }
  }
  return { differences, tested }
}

/** The scheme and the error of a challenge. A realm and a description are free. */
function challengeOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const [, scheme = ''] = /^\s*([^\s,]+)/u.exec(value) ?? []
  const [, error = ''] = /\berror="?([\w-]+)/u.exec(value) ?? []
  return `${scheme.toLowerCase()} ${error}`
}

function compareBodies(
  step: Step,
  double: ServiceResponse,
  service: ServiceResponse,
  context: ComparisonContext,
  creation: Creation,
): Comparison {
  const { operations } = context.probes
  const schema = bodyCursor(documentedCursor(step, double.status, context.probes), double.mediaType)
  const fallback = step.tests
  if (service.json === undefined) {
    if (double.json === undefined) return { differences: [], tested: [] }
    const what = service.text === '' ? 'the service sends no body' : 'the body of the service is not JSON'
    return { differences: [{ part: 'body', what, place: schema?.path ?? fallback, path: [] }], tested: [] }
  }
  const placeOf = (path: readonly Segment[]): SpecPath => (schema ? schemaAt(schema, path).path : fallback)
  const violations = step.operation ? schemaDifferences(step, service, context, placeOf) : []
  const noise = context.noise.get(step.operation?.id ?? '') ?? new Set()
  const isNoise = (pattern: string): boolean => noise.has(pattern)
  if (double.status >= 400) {
    if (violations.length > 0) return { differences: violations, tested: [] }
    const found = compareValues(double.json, service.json, {
      isNoise,
      isMadeUp: (path) => !isErrorNumber(path, double.json),
    })
    return {
      differences: distinct(found).map((value) => valueDifference(value, placeOf(value.path))),
      tested: numbersIn(double.json).map(placeOf),
    }
  }
  const probed = operations.find((each) => each.operation === step.operation)
  if (step.compares === 'status' || !probed || probed.decision.role === 'mocked')
    return { differences: violations, tested: [] }
  if (probed.decision.role === 'list')
    return compareListings(step, double, service, context, creation, { violations, placeOf, isNoise })
  const { idProperty = 'id' } = probed.collection?.model ?? {}
  const isCreated = step.isCreation === true || step.target.includes(createdId)
  const found = compareValues(double.json, service.json, {
    isNoise,
    isMadeUp: (path) =>
      isCreated && !creation.sent.has(String(path.at(-1))) && path.at(-1) !== idProperty
        ? true
        : isCreated && path.at(-1) === idProperty,
  })
  const known = new Set(violations.map(({ path }) => patternOf(path ?? [])))
  return {
    differences: [
      ...violations,
      ...distinct(found)
        .filter(({ path }) => !known.has(patternOf(path)))
        .map((value) => valueDifference(value, placeOf(value.path))),
    ],
    tested: [],
  }
}

/** The violations of the contract in a response of the service, each once. */
function schemaDifferences(
  { operation }: Step,
  service: ServiceResponse,
  { noise, probes: { contract } }: ComparisonContext,
  placeOf: (path: readonly Segment[]) => SpecPath,
): readonly Difference[] {
  if (!operation || !documentedResponse(operation, service.status)) return []
  const { headers, json, mediaType, status } = service
  const ignored = noise.get(operation.id) ?? new Set()
  const found = new Map<string, Difference>()
  for (const { code, location, message, severity } of contract.checkResponse(operation, {
    status,
    headers,
    mediaType,
    body: json,
  })) {
    if (severity !== 'Error' || location[1] !== 'body') continue
    const path = location.slice(2).map((segment) => (/^\d+$/u.test(segment) ? Number(segment) : segment))
    const pattern = patternOf(path)
    if (ignored.has(pattern)) continue
    const what = `the service breaks the contract: ${message.replace(/\.$/u, '')}`
    const place = [...placeOf(path), String(code)]
    found.set(
      `${pattern} ${code}`,
      found.get(`${pattern} ${code}`) ?? { part: 'schema', what, place, path, keyword: String(code) },
    )
  }
  return [...found.values()]
}

interface ListingRules {
  readonly violations: readonly Difference[]
  readonly placeOf: (path: readonly Segment[]) => SpecPath
  readonly isNoise: (pattern: string) => boolean
}

function compareListings(
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

/** Returns one difference for each pattern and kind. */
function distinct(found: readonly ValueDifference[]): readonly ValueDifference[] {
  const byPattern = new Map<string, ValueDifference>()
  for (const each of found) {
    const key = `${patternOf(each.path)} ${each.kind}`
    if (!byPattern.has(key)) byPattern.set(key, each)
  }
  return [...byPattern.values()]
}

function valueDifference(value: ValueDifference, place: SpecPath): Difference {
  const name = patternOf(value.path)
  const shown = (json: Json | undefined): string => JSON.stringify(json)?.slice(0, 80) ?? 'nothing'
  const what = {
    extra: `the service sends ${name}, which the double does not`,
    missing: `the service does not send ${name}`,
    type: `${name} is of type ${typeOf(value.service ?? null)} in the service, ${typeOf(value.double ?? null)} in the double`,
    value: `${name} is ${shown(value.service)} in the service, ${shown(value.double)} in the double`,
  }[value.kind]
  return { part: 'body', what, place, path: value.path, value }
}

/** Tells whether a value of an error body is its number, which has a meaning. Texts are free. */
const isErrorNumber = (path: readonly Segment[], body: Json | undefined): boolean =>
  numbersIn(body).some((each) => JSON.stringify(each) === JSON.stringify(path))

/** Finds the paths of the numbers in an error body. */
function numbersIn(body: Json | undefined, path: readonly Segment[] = []): readonly (readonly Segment[])[] {
  if (!isObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'number' && /^(?:error|code|status)$/iu.test(name)
      ? [[...path, name]]
      : numbersIn(value, [...path, name]),
  )
}
