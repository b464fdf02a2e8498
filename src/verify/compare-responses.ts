import { isDeepStrictEqual } from 'node:util'

import { type Contract, documentedResponse, type Json } from '../contract/contract.js'
import type { Cursor } from '../contract/references.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import { compareListings } from './compare-listings.js'
import type { Difference, Noise, ValueDifference } from './differences.js'
import { compareValues, distinct, patternOf, valueDifference } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder, type ProbeStep } from './probe.js'
import type { ProbeCreation } from './run-probes.js'
import { bodyCursor, headerCursor, responseCursor, schemaAt, type SpecPath } from './spec-places.js'

interface Comparison {
  readonly differences: readonly Difference[]
  /** Places that were compared, in addition to the status. */
  readonly tested: readonly SpecPath[]
}

export function compareResponses(
  step: ProbeStep,
  double: ServiceResponse,
  service: ServiceResponse,
  context: ProbeContext,
  noise: Noise,
  creation: ProbeCreation,
): Comparison {
  if (double.status !== service.status) {
    const what = `the service answers ${service.status}, the double ${double.status}`
    return { differences: [{ part: 'status', what, place: step.tests }], tested: [] }
  }
  const response = documentedCursor(step, double.status, context)
  const mediaType = compareMediaTypes(double, service, response?.at('content').path ?? step.tests)
  const headers = compareHeaders(double, service, response, step)
  const isCompared = step.method !== 'HEAD' && mediaType.length === 0 && (double.text !== '' || service.text !== '')
  const schema = bodyCursor(response, double.mediaType)
  const body = isCompared ? compareBodies(step, double, service, schema, context, noise, creation) : undefined
  return {
    differences: [...mediaType, ...headers.differences, ...(body?.differences ?? [])],
    tested: [...headers.tested, ...(body?.tested ?? [])],
  }
}

/** Finds the documented response for a status. An error without an operation, or an undocumented one, has the shape of other errors. */
function documentedCursor(
  { probed }: ProbeStep,
  status: number,
  { contract, operations }: ProbeContext,
): Cursor | undefined {
  const own = probed && responseCursor(contract, probed.operation, status)
  if (own || status < 400) return own
  const others = [status, 400, 404, 422, 500].flatMap((each) =>
    operations.map(({ operation }) => responseCursor(contract, operation, each)),
  )
  return others.find((each) => each !== undefined)
}

function compareMediaTypes(double: ServiceResponse, service: ServiceResponse, place: SpecPath): readonly Difference[] {
  const [ours, theirs] = [double.mediaType || 'none', service.mediaType || 'none']
  const charset = /charset="?([\w-]+)/iu.exec(service.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  if (ours === theirs && charset.toLowerCase() === 'utf-8') return []
  const type = `the media type ${theirs}, the double ${ours}`
  const what = `the service sends ${ours === theirs ? `the charset ${charset}, and JSON is utf-8` : type}`
  return [{ part: 'media type', what, place }]
}

function compareHeaders(
  double: ServiceResponse,
  service: ServiceResponse,
  response: Cursor | undefined,
  step: ProbeStep,
): Comparison {
  const documented = response?.at('headers').children() ?? []
  const names = new Set(documented.map(([name]) => name.toLowerCase()))
  names.delete('content-type')
  // Only the probes of credentials test the challenge. In another probe, a 401 is about something else.
  if (!step.tests.includes('responses')) names.delete('www-authenticate')
  else if (double.status === 401) names.add('www-authenticate')
  const differences: Difference[] = []
  const tested: SpecPath[] = []
  for (const header of names) {
    const isChallenge = header === 'www-authenticate'
    const ours = double.headers[header]
    const theirs = service.headers[header]
    const place = (isChallenge ? undefined : headerCursor(response, header)?.path) ?? step.tests
    if (ours !== undefined || theirs !== undefined) tested.push(place)
    const isEqual = isChallenge
      ? challengeOf(ours) === challengeOf(theirs)
      : (ours === undefined) === (theirs === undefined)
    if (isEqual) continue
    const shown = (value = 'none'): string => value.slice(0, 200)
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

function compareBodies(
  step: ProbeStep,
  double: ServiceResponse,
  service: ServiceResponse,
  schema: Cursor | undefined,
  context: ProbeContext,
  noise: Noise,
  creation: ProbeCreation,
): Comparison {
  const { decision, collection, operation } = step.probed ?? {}
  const placeOf = (path: readonly Segment[]): SpecPath => (schema ? schemaAt(schema, path).path : step.tests)
  if (service.json === undefined) {
    const what = service.text === '' ? 'the service sends no body' : 'the body of the service is not JSON'
    const missing = { part: 'body' as const, what, place: placeOf([]), path: [] }
    return { differences: double.json === undefined ? [] : [missing], tested: [] }
  }
  const isNoise = (pattern: string): boolean => noise.has(operation?.id ?? '', pattern)
  const violations = findViolations(step, service, context.contract, isNoise, placeOf)
  const known = new Set(violations.map(({ path = [] }) => patternOf(path)))
  const unlessViolating = (found: readonly ValueDifference[]): readonly Difference[] =>
    distinct(found)
      .filter(({ path }) => !known.has(patternOf(path)))
      .map((value) => valueDifference(value, placeOf(value.path)))
  if (double.status >= 400) {
    if (violations.length > 0) return { differences: violations, tested: [] }
    // A number in an error has a meaning. Texts may differ.
    const numbers = numbersIn(double.json)
    const isMadeUp = (path: readonly Segment[]): boolean => !numbers.some((each) => isDeepStrictEqual(each, path))
    const found = compareValues(double.json, service.json, { isNoise, isMadeUp })
    return { differences: unlessViolating(found), tested: numbers.map(placeOf) }
  }
  if (step.compares === 'status' || !decision || decision.role === 'mocked')
    return { differences: violations, tested: [] }
  if (decision.role === 'list') {
    const isOrdered = !noise.unordered.has(collection?.name ?? '')
    const rules = { placeOf, isNoise, isOrdered, isKnown: (pattern: string) => known.has(pattern) }
    const listings = collection
      ? compareListings(collection, double, service, context, creation, step.tests, rules)
      : []
    return { differences: [...violations, ...listings], tested: [] }
  }
  const { idProperty = 'id' } = collection?.model ?? {}
  const isCreated = step.isCreation === true || step.target.includes(createdIdPlaceholder)
  const found = compareValues(double.json, service.json, {
    isNoise,
    isMadeUp: (path) => isCreated && (path.at(-1) === idProperty || !creation.sent.has(String(path.at(-1)))),
  })
  return { differences: [...violations, ...unlessViolating(found)], tested: [] }
}

function findViolations(
  { probed }: ProbeStep,
  { headers, json, mediaType, status }: ServiceResponse,
  contract: Contract,
  isNoise: (pattern: string) => boolean,
  placeOf: (path: readonly Segment[]) => SpecPath,
): readonly Difference[] {
  if (!probed || !documentedResponse(probed.operation, status)) return []
  const found = new Map<string, Difference>()
  const response = { status, headers, mediaType, body: json }
  for (const { code, location, message, severity } of contract.checkResponse(probed.operation, response)) {
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
