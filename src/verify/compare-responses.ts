/** Compares the responses of the service and of the double to the same request. */
import { documentedResponse } from '../contract/contract.js'
import type { Json } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import { compareListings } from './compare-listings.js'
import { compareValues, patternOf } from './compare-values.js'
import type { Comparison, ComparisonContext, ProbeCreation, Difference } from './differences.js'
import { distinct, valueDifference } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import type { ProbeStep } from './probe.js'
import { createdIdPlaceholder } from './probe.js'
import type { SpecPath } from './spec-places.js'
import { bodyCursor, headerCursor, responseCursor, schemaAt } from './spec-places.js'

/** Compares status, media type, headers and body. */
export function compareResponses(
  step: ProbeStep,
  double: ServiceResponse,
  service: ServiceResponse,
  context: ComparisonContext,
  creation: ProbeCreation,
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

/** Finds the documented response for a status. An error without an operation, or an undocumented one, has the shape of other errors. */
function documentedCursor(
  { operation }: ProbeStep,
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
  step: ProbeStep,
): Comparison {
  const documented =
    response
      ?.at('headers')
      .children()
      .map(([name]) => name.toLowerCase()) ?? []
  const names = new Set([...documented, ...(double.status === 401 ? ['www-authenticate'] : [])])
  // Only the probes of credentials test the challenge. In another probe, a 401 is about something else.
  if (!step.tests.includes('responses')) names.delete('www-authenticate')
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
  context: ComparisonContext,
  creation: ProbeCreation,
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
  const isCreated = step.isCreation === true || step.target.includes(createdIdPlaceholder)
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

/** Finds the violations of the contract in a response of the service. Returns each once. */
function schemaDifferences(
  { operation }: ProbeStep,
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

/** Tells whether a value of an error body is a number, which has a meaning. Texts may differ. */
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
