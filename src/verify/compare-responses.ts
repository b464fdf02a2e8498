import { isDeepStrictEqual } from 'node:util'

import { documentedResponse, type Json } from '../contract/contract.js'
import type { Cursor } from '../contract/references.js'
import { bodyCursor, headerCursor, responseCursor, schemaAt, type SpecPath } from '../contract/spec-places.js'
import { groupBy, isObject, objectOf } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import { listNames } from '../error-message.js'
import { once } from '../once.js'
import { type Exchange, isSuccess, type ServiceResponse } from '../pull/service-client.js'
import type { CollectionModel } from '../resources/infer/collection-model.js'
import { idOf } from '../resources/infer/id-property.js'
import { entryKey } from '../resources/infer/parents.js'
import type { Collection } from '../resources/resources.js'
import type { Difference, Noise, ValueDifference } from './differences.js'
import { compareValues, distinct, isTimeText, patternOf, valueDifference } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder, type ProbeStep } from './probe.js'
import type { AnsweredStep, ProbeCreation, SentStep } from './run-probes.js'

interface Comparison {
  readonly differences: readonly Difference[]
  /** Places that were compared, in addition to the status. */
  readonly tested: readonly SpecPath[]
}

interface Compared extends AnsweredStep {
  readonly context: ProbeContext
  readonly noise: Noise
  readonly creation: ProbeCreation
  /** The same request without the tested parameter. */
  readonly plain?: SentStep | undefined
}

export function compareResponses(compared: Compared): Comparison {
  const { context, double, service, step } = compared
  if (double.status !== service.status) {
    const what = `the service answers ${service.status}, the double ${double.status}`
    return { differences: [{ part: 'status', what, place: step.tests }], tested: [] }
  }
  const response = documentedCursor(step, double.status, context)
  const mediaType = compareMediaTypes(double, service, response?.at('content').path ?? step.tests)
  const headers = compareHeaders(compared, response)
  const isCompared = step.method !== 'HEAD' && mediaType.length === 0 && (double.text !== '' || service.text !== '')
  const body = isCompared ? compareBodies(compared, bodyCursor(response, double.mediaType)) : undefined
  return {
    differences: [...mediaType, ...headers.differences, ...(body?.differences ?? [])],
    tested: [...headers.tested, ...(body?.tested ?? [])],
  }
}

/** Finds the documented response for a status. An error without an operation, or an undocumented one, has the shape of other errors. */
function documentedCursor({ probed }: ProbeStep, status: number, { contract, operations }: ProbeContext) {
  const own = probed && responseCursor(contract, probed.operation, status)
  if (own || status < 400) return own
  for (const each of [status, 400, 404, 422, 500]) {
    const other = operations.find(({ operation }) => responseCursor(contract, operation, each))
    if (other) return responseCursor(contract, other.operation, each)
  }
  return undefined
}

function compareMediaTypes(double: ServiceResponse, service: ServiceResponse, place: SpecPath): readonly Difference[] {
  const [ours, theirs] = [double.mediaType || 'none', service.mediaType || 'none']
  const charset = /charset="?([\w-]+)/iu.exec(service.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  if (ours === theirs && charset.toLowerCase() === 'utf-8') return []
  const type = `the media type ${theirs}, the double ${ours}`
  const what = `the service sends ${ours === theirs ? `the charset ${charset}, and JSON is utf-8` : type}`
  return [{ part: 'media type', what, place }]
}

function compareHeaders({ double, service, step }: Compared, response: Cursor | undefined): Comparison {
  const documented = response?.at('headers').children() ?? []
  const names = new Set(documented.map(([name]) => name.toLowerCase()))
  names.delete('content-type')
  // Only the probes of credentials test the challenge. In another probe, a 401 is about something else.
  if (!step.tests.includes('responses')) names.delete('www-authenticate')
  else if (double.status === 401) names.add('www-authenticate')
  // Contracts seldom document these, and clients use them.
  const isOfOrigin = step.headers?.['origin'] !== undefined
  for (const name of ['location', ...(isOfOrigin ? ['access-control-allow-origin'] : [])])
    if (service.headers[name] !== undefined && double.headers[name] !== undefined) names.add(name)
  const differences: Difference[] = []
  const tested: SpecPath[] = []
  for (const header of names) {
    const isChallenge = header === 'www-authenticate'
    const [ours, theirs] = [double.headers[header], service.headers[header]]
    const place = (isChallenge ? undefined : headerCursor(response, header)?.path) ?? step.tests
    if (ours !== undefined || theirs !== undefined) tested.push(place)
    const compared = (value: string | undefined): unknown => {
      if (value === undefined || header === 'access-control-allow-origin') return value
      if (header === 'location') return URL.canParse(value) ? 'a URL' : 'a path'
      return isChallenge ? challengeOf(value) : true
    }
    if (compared(ours) === compared(theirs)) continue
    const isForm = header === 'location' && ours !== undefined && theirs !== undefined
    const shown = (value = 'none'): string => (isForm ? String(compared(value)) : value.slice(0, 200))
    const what = `the service sends the header ${header}: ${shown(theirs)}, the double ${shown(ours)}`
    differences.push({ part: 'header', what, place, header })
  }
  return { differences, tested }
}

/** Returns the scheme and the error of a challenge. Its realm and its description may differ. */
function challengeOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const [, scheme = ''] = /^\s*([^\s,]+)/u.exec(value) ?? []
  const [, error = ''] = /\berror="?([\w-]+)/u.exec(value) ?? []
  return `${scheme.toLowerCase()} ${error}`
}

interface BodyRules {
  readonly placeOf: (path: readonly Segment[]) => SpecPath
  readonly isNoise: (pattern: string) => boolean
  readonly isKnown: (difference: ValueDifference) => boolean
}

function compareBodies(compared: Compared, schema: Cursor | undefined): Comparison {
  const { creation, double, noise, service, step } = compared
  const { decision, collection, operation } = step.probed ?? {}
  const placeOf = (path: readonly Segment[]): SpecPath => (schema ? schemaAt(schema, path).path : step.tests)
  const isMocked = decision?.role === 'mocked' && step.compares !== 'status'
  const ownValues = 'the service sends its own values, and the double those of an example'
  const inBody = (what: string, path: readonly Segment[]): Difference => {
    return { part: 'body', what, place: placeOf([]), path }
  }
  if (service.json === undefined) {
    const isMissing = double.json !== undefined
    const missing = service.text === '' ? 'the service sends no body' : 'the body of the service is not JSON'
    const isOther = isMissing || (isMocked && double.text !== service.text)
    return { differences: isOther ? [inBody(isMissing ? missing : ownValues, [])] : [], tested: [] }
  }
  // The patterns of records are those of a list that is the body.
  const isNoise = (pattern: string): boolean =>
    [pattern, pattern.replace(/^[^[]*\[\]/u, '[]')].some((each) => noise.has(operation?.id ?? '', each))
  const violations = findViolations(compared, isNoise, placeOf)
  const isKnown = ({ kind, path }: ValueDifference): boolean => {
    const isExtra = kind === 'extra'
    const place = patternOf(isExtra ? path.slice(0, -1) : path)
    const about = violations.filter((each) => patternOf(each.path ?? []) === place)
    return about.some(({ keyword }) => !isExtra || keyword === 'additionalProperties')
  }
  const withViolations = (differences: readonly Difference[]): Comparison => {
    return { differences: [...violations, ...differences], tested: [] }
  }
  const unlessViolating = (found: readonly ValueDifference[]): readonly Difference[] =>
    distinct(found.filter((each) => !isKnown(each))).map((value) => valueDifference(value, placeOf(value.path)))
  const valuesThatDiffer = (one: ServiceResponse, other: ServiceResponse): readonly ValueDifference[] => {
    // A time is another one in each run.
    const isMadeUp = (path: readonly Segment[]): boolean =>
      [one, other].every(({ json }) => isTimeText(valueAt(json, path)))
    return compareValues(one.json, other.json, { isNoise, isMadeUp })
  }
  if (double.status >= 400) {
    if (violations.length > 0) return withViolations([])
    // A number in an error has a meaning. Texts may differ.
    const numbers = numbersIn(double.json)
    const isMadeUp = (path: readonly Segment[]): boolean => !numbers.some((each) => isDeepStrictEqual(each, path))
    const found = compareValues(double.json, service.json, { isNoise, isMadeUp })
    return { differences: unlessViolating(found), tested: numbers.map(placeOf) }
  }
  if (isMocked) {
    const [value] = valuesThatDiffer(double, service)
    return withViolations(value ? [inBody(ownValues, value.path)] : [])
  }
  const isChanged = (one: Exchange | undefined, other: ServiceResponse): boolean =>
    one !== undefined && isSuccess(one) && valuesThatDiffer(one, other).length > 0
  /** Says that the tested parameter changes what the service sends, and not what the double sends. */
  const findEffect = (): readonly Difference[] => {
    const { plain } = compared
    const name = step.parameter?.name ?? ''
    const isActing = decision !== undefined && decision.role !== 'mocked' && decision.match.effects?.has(name) === true
    if (isActing || step.probed?.isSafe !== true || noise.unordered.has(collection?.name ?? '')) return []
    const isOfService = isChanged(plain?.service, service) && !isChanged(plain?.double, double)
    if (!isOfService || !isChanged(double, service)) return []
    return [inBody(`${name} changes what the service sends, and has no effect in the double`, [])]
  }
  if (step.compares === 'status' || !decision || decision.role === 'mocked') {
    const effect = decision?.role === 'mocked' ? findEffect() : []
    if (effect.length > 0) return withViolations(effect)
    // An example is no selection, but whether there is anything is seen.
    const [ours, theirs] = [double, service].map(countItems)
    const isOther = decision?.role === 'mocked' && ours !== undefined && theirs !== undefined
    return withViolations(
      isOther && (ours === 0) !== (theirs === 0)
        ? [inBody(`the service sends ${theirs} items, the double ${ours}`, [])]
        : [],
    )
  }
  if (decision.role === 'list') {
    const found = compareListings(compared, { placeOf, isNoise, isKnown })
    const isSelected = found.some(({ part }) => part === 'records' || part === 'order')
    return withViolations(isSelected ? found : [...found, ...findEffect()])
  }
  const { idProperty = 'id' } = collection?.model ?? {}
  const isCreated = step.isCreation === true || step.target.includes(createdIdPlaceholder)
  const readKnown = once(() => compared.context.recordsOf(collection))
  const isInEachRecord = (path: readonly Segment[], value: unknown): boolean =>
    readKnown().length > 1 && readKnown().every(({ record }) => isDeepStrictEqual(valueAt(record, path), value))
  // The service fills in flags and states in the same way each time, and so it does what all of its records have.
  const isState = (path: readonly Segment[], value: unknown = valueAt(service.json, path)): boolean =>
    typeof value === 'boolean' ||
    objectOf(schema && schemaAt(schema, path).value)['enum'] !== undefined ||
    (value !== undefined && isInEachRecord(path, value))
  const found = compareValues(double.json, service.json, {
    isNoise,
    isMadeUp: (path) =>
      isCreated &&
      (path.at(-1) === idProperty ||
        isRemade(creation, path.at(-1), valueAt(double.json, path), valueAt(service.json, path)) ||
        !(creation.sent.has(String(path.at(-1))) || isState(path))),
  })
  return withViolations(unlessViolating(found))
}

/** Counts the items of a body that is a list. Undefined: it is none. */
const countItems = (exchange: Exchange | undefined): number | undefined =>
  exchange && !('failure' in exchange) && Array.isArray(exchange.json) ? exchange.json.length : undefined

/** Tells whether both have replaced a time that was sent by another one, such as the present time. */
const isRemade = ({ sent }: ProbeCreation, name: Segment | undefined, ...values: readonly unknown[]): boolean =>
  values.every((value) => isTimeText(value) && value !== sent.get(String(name)))

function findViolations(
  { context, service: { headers, json, mediaType, status }, step: { probed } }: Compared,
  isNoise: BodyRules['isNoise'],
  placeOf: BodyRules['placeOf'],
): readonly Difference[] {
  if (!probed || !documentedResponse(probed.operation, status)) return []
  const found = new Map<string, Difference>()
  const response = { status, headers, mediaType, body: json }
  for (const { code, location, message, severity } of context.contract.checkResponse(probed.operation, response)) {
    if (severity !== 'Error' || location[1] !== 'body') continue
    const path = location.slice(2).map((segment) => (/^\d+$/u.test(segment) ? Number(segment) : segment))
    const pattern = patternOf(path)
    const keyword = String(code)
    if (isNoise(pattern) || found.has(`${pattern} ${keyword}`)) continue
    const what = `the service breaks the contract: ${message.replace(/\.$/u, '')}`
    found.set(`${pattern} ${keyword}`, { part: 'schema', what, place: [...placeOf(path), keyword], path, keyword })
  }
  return [...found.values()]
}

function numbersIn(body: Json | undefined, path: readonly Segment[] = []): readonly (readonly Segment[])[] {
  if (!isObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'number' && /^(?:error|code|status)$/iu.test(name)
      ? [[...path, name]]
      : numbersIn(value, [...path, name]),
  )
}

/** Compares listings: which records they have, their order, the values of those that both have, and the envelopes. */
function compareListings(compared: Compared, { isKnown, isNoise, placeOf }: BodyRules): readonly Difference[] {
  const { context, creation, double, noise, service, step } = compared
  const { model, name = '' } = step.probed?.collection ?? {}
  if (!model) return []
  const isOrdered = !noise.unordered.has(name) && !creation.isAnonymous
  const own = context.pulled.leftOut.filter(({ collection }) => collection === name)
  const leftOut = new Set(own.map(({ id }) => (id === undefined ? '' : String(JSON.parse(id)))))
  const ours = recordsOfListing(double.json, model, creation.doubleIds)
  // A body that is no listing breaks the contract.
  if (typeof model.listBody === 'object' && !model.listBody.itemsIn(service.json)) return []
  const sent = recordsOfListing(service.json, model, creation.serviceIds)
  const theirs = sent.filter(({ id, record }) => !leftOut.has(id) && idOf(model, record) !== undefined)
  const inOurs = new Set(ours.map(({ id }) => id))
  const inTheirs = new Map(theirs.map((each) => [each.id, each]))
  const differences: Difference[] = []
  // If they have no order, a cap can leave out any record, and an id that nobody told is another one: only their number counts.
  const missing = isOrdered ? ours.filter(({ id }) => !inTheirs.has(id)) : []
  const extra = isOrdered ? theirs.filter(({ id }) => !inOurs.has(id)) : []
  const hasOthers = isOrdered ? missing.length + extra.length > 0 : ours.length !== theirs.length
  if (theirs.length === 0 && leftOut.size === 0 && sent.length > 0) {
    const what = `the service sends ${sent.length} records without an id, the double ${ours.length} with one`
    return [{ part: 'records', what, place: step.tests, path: [] }]
  }
  // Records that break the contract are not in the double, so a capped listing cannot have the same records.
  if (leftOut.size === 0 && hasOthers) {
    const names = `${namesOf('lacks', missing)}${namesOf('adds', extra)}`
    const what = `the service sends ${theirs.length} records, the double ${ours.length}${names}`
    const places = { path: missing[0]?.path ?? [], servicePath: extra[0]?.path ?? [] }
    differences.push({ part: 'records', what, place: step.tests, ...places })
  }
  const common = ours.filter(({ id }) => inTheirs.has(id))
  const commonTheirs = theirs.filter(({ id }) => inOurs.has(id))
  const moved = common.findIndex(({ id }, index) => commonTheirs[index]?.id !== id)
  if (isOrdered && moved !== -1) {
    const what = 'the service sends the same records in another order'
    const [path, servicePath] = [common[moved]?.path ?? [], commonTheirs[moved]?.path ?? []]
    differences.push({ part: 'order', what, place: placeOf([]), path, servicePath })
  }
  // An id that several records have does not tell which of them are compared.
  const byId = groupBy([...common, ...commonTheirs], ({ id }) => id)
  const paired = common.filter(({ id }) => byId.get(id)?.length === 2)
  const values = paired.flatMap(({ id, path: at, record }) => {
    const other = inTheirs.get(id)
    return compareValues(record as Json, other?.record as Json, {
      isNoise: (pattern) => isNoise(`[].${pattern}`),
      isMadeUp: (path) =>
        id.startsWith(createdIdPlaceholder) &&
        (path[0] === model.idProperty ||
          !creation.sent.has(String(path[0])) ||
          isRemade(creation, path[0], valueAt(record, path), valueAt(other?.record, path))),
    }).map(({ path, ...value }) => ({
      ...value,
      path: [...at.slice(-1), ...path],
      inDouble: [...at, ...path],
      servicePath: [...(other?.path ?? []), ...path],
    }))
  })
  for (const { inDouble: path, servicePath, ...value } of distinct(values))
    if (!isKnown({ ...value, path })) differences.push({ ...valueDifference(value, placeOf(path)), path, servicePath })
  // A listing that is an array has no envelope.
  if (Array.isArray(double.json)) return differences
  const rules = { isNoise, isMadeUp: () => creation.doubleIds.length > 0 }
  const inEnvelopes = compareValues(withoutLists(double.json), withoutLists(service.json), rules)
  return [...differences, ...distinct(inEnvelopes).map((value) => valueDifference(value, placeOf(value.path)))]
}

/** Reads the records of a listing. @param created - The ids of the records that the probe created, for which the result has placeholders. */
function recordsOfListing(json: Json | undefined, model: CollectionModel, created: readonly string[]) {
  const { listBody } = model
  if (typeof listBody !== 'object') return []
  const items = listBody.itemsIn(json) ?? []
  const toItems = isObject(json) ? Object.keys(json).filter((key) => json[key] === items) : []
  return items.map((item, index) => {
    const record = listBody.record.fromBody(item) ?? {}
    const id = entryKey(idOf(model, record) ?? `without an id, ${index}`, [])
    const at = created.indexOf(id)
    return { id: at === -1 ? id : `${createdIdPlaceholder}${at}`, record, path: [...toItems, index] }
  })
}

export const idsInListing = ({ model }: Collection, json: Json | undefined): readonly string[] =>
  recordsOfListing(json, model, []).map(({ id }) => id)

const withoutLists = (body: Json | undefined): Json | undefined =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))) : undefined

const namesOf = (verb: 'lacks' | 'adds', records: readonly { readonly id: string }[]): string => {
  const names = records.map(({ id }) => id)
  return names.length === 0 ? '' : `; the service ${verb} ${listNames(names, 3)}`
}
