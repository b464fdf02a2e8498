import { isDeepStrictEqual } from 'node:util'

import type { Contract, Json } from '../contract/contract.js'
import { objectSchema } from '../contract/schemas/read-schema.js'
import type { Assumption, SpecPath } from '../contract/spec-places.js'
import { assumptionAt, bodyCursor, listAssumptions, responseCursor, responsePath } from '../contract/spec-places.js'
import { isObject, type JsonObject, listOf, objectOf } from '../documents/object.js'
import { valueAt } from '../documents/pointer.js'
import type { DoubleOptions } from '../index.js'
import { isSegment, withQuery } from '../pull/requests.js'
import { isSuccess, type ServiceClient, type ServiceResponse } from '../pull/service-client.js'
import { idOf } from '../resources/infer/id-property.js'
import { pathOverrideOf } from '../resources/read-overrides.js'
import { compareResponses, idsInListing } from './compare-responses.js'
import type { Difference, Noise } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import { mayChange, type Probe, type ProbedOperation, probeOf, type ProbeStep, stepOf, jsonContent } from './probe.js'
import { type AnsweredStep, type Ask, type SentProbe, type SentStep, untilRunEnds } from './run-probes.js'

export interface FoundDifference extends Difference {
  readonly at: AnsweredStep
}

export interface ProbeResult {
  readonly probe: Probe
  readonly outcome: 'agrees' | 'differs' | 'could not check'
  /** The reason why it could not be checked, as a clause. */
  readonly reason?: string | undefined
  readonly differences: readonly FoundDifference[]
  readonly steps: readonly SentStep[]
  readonly created: readonly string[]
  readonly agreed: readonly SpecPath[]
}

export interface AssumptionResult extends Assumption {
  readonly outcome: 'refuted' | 'supported' | 'open'
  readonly probes: readonly string[]
}

export interface ProbeRun {
  readonly context: ProbeContext
  readonly noise: Noise
  readonly sent: readonly SentProbe[]
  readonly handlers?: DoubleOptions['handlers']
}

/** Evaluates probes. Those of the order of listings come first. */
export function evaluateProbes({ context, noise, sent }: ProbeRun): readonly ProbeResult[] {
  const plain = sent.flatMap(({ probe: { operation }, steps: [first] }) =>
    first && first.step.parameter === undefined ? [[operation, first] as const] : [],
  )
  // The first of each operation counts.
  const byOperation = new Map(plain.toReversed())
  return attributeToFirstProbe([
    ...evaluateOrder(context, noise),
    ...evaluateIds(context, sent),
    ...sent.map((each) => evaluateProbe(each, context, noise, byOperation.get(each.probe.operation))),
  ])
}

/** @param plain - The request to the operation without a tested parameter. Default: none. */
export function evaluateProbe(sent: SentProbe, context: ProbeContext, noise: Noise, plain?: SentStep): ProbeResult {
  const { creation, probe, steps, stopped } = sent
  const differences: FoundDifference[] = []
  const agreed: SpecPath[] = []
  let changed: string | undefined
  for (const { double, service, step } of steps) {
    if ('failure' in double || 'failure' in service) continue
    const { collection, decision } = step.probed ?? {}
    if (decision?.role === 'list' && collection && noise.changed.has(collection.name)) {
      changed = `${collection.name} gained or lost records during the run`
      if (double.status === service.status) continue
    }
    const answered = { step, double, service }
    const found = compareResponses({ ...answered, context, noise, creation, plain: step.parameter && plain })
    differences.push(...found.differences.map((difference) => ({ ...difference, at: answered })))
    const differing = new Set(found.differences.map(({ place }) => JSON.stringify(place)))
    const isStatusEqual = found.differences.every(({ part }) => ['schema', 'body', 'header'].includes(part))
    if (isStatusEqual && step.isEvidence !== false) agreed.push(step.tests)
    agreed.push(...found.tested.filter((place) => !differing.has(JSON.stringify(place))))
  }
  const reason = probe.skipped ?? stopped ?? changed
  const outcome = differences.length > 0 ? 'differs' : reason === undefined ? 'agrees' : 'could not check'
  return { probe, outcome, reason, differences, steps, created: creation.serviceIds, agreed }
}

/** Creates the probes of the order of listings. The double has a copy of the order, so it differs only if it is noise. */
function evaluateOrder({ contract, operations, pulled }: ProbeContext, noise: Noise): readonly ProbeResult[] {
  return operations
    .filter(({ collection, decision }) => decision.role === 'list' && noise.unordered.has(collection?.name ?? ''))
    .map((probed) => {
      const { collection, operation } = probed
      const schema = bodyCursor(responseCursor(contract, operation, operation.successStatus), 'application/json')
      const place = schema?.path ?? responsePath(contract, operation, operation.successStatus)
      const what = 'the order of the service changes between equal reads, but the order of the double does not'
      const probe = probeOf(probed, 'stable-order')
      const first = listOf(pulled.document[collection?.name ?? '']).slice(0, 2)
      return unsent(probe, probed, { part: 'order', what, place, path: [] }, first as Json)
    })
}

/** Creates the probes of ids that contain another property in all records. The double makes others, unless `x-double` says that they equal it. */
const evaluateIds = (context: ProbeContext, sent: readonly SentProbe[]): readonly ProbeResult[] =>
  context.operations.flatMap((probed) => {
    const { collection, decision, operation } = probed
    if (decision.role !== 'create' || !collection || pathOverrideOf(operation).from !== undefined) return []
    const { model } = collection
    const body = objectSchema(objectOf(jsonContent(operation)?.schema))
    const records = listOf(context.pulled.document[collection.name]).filter(isObject)
    const names = [...(body?.properties.keys() ?? [])].filter((name) => name !== model.idProperty)
    /** Returns what is around the value of a property in an id. */
    const around = (name: string, record: JsonObject): readonly string[] =>
      isSegment(record[name]) ? String(idOf(model, record)).split(String(record[name])) : []
    const found = names.flatMap((name) => {
      const [parts = [], ...others] = records.map((record) => around(name, record))
      const isSame = others.every((each) => isDeepStrictEqual(each, parts))
      return parts.length === 2 && isSame ? [{ name, isEqual: parts.join('') === '', parts }] : []
    })
    const from = found.find(({ isEqual }) => isEqual) ?? found[0]
    if (from === undefined || records.length < 2 || body?.required.has(model.idProperty)) return []
    const form = from.isEqual ? `equals its ${from.name}` : `is ${from.parts.join(`{${from.name}}`)}`
    const what = `the id of each record of the service ${form}, and the double makes another`
    const list = context.sibling(probed, 'list') ?? probed
    const place = ['paths', operation.path]
    const equal = from.isEqual ? { from: from.name } : {}
    const difference: Difference = { part: 'body', what, place, path: [0, from.name], ...equal }
    const probe = probeOf(probed, 'id-from')
    const result = unsent(probe, list, difference, [records[0] as Json])
    // A creation shows both ids, if the body has none.
    const idIn = ({ json }: ServiceResponse): unknown => valueAt(json, [model.idProperty])
    const [at] = sent
      .flatMap(({ steps }) => steps)
      .flatMap(({ double, service, step }) => {
        const isShown = step.probed === probed && isSuccess(double) && isSuccess(service)
        const ids = isShown ? [idIn(double), idIn(service)] : []
        return isShown && ids.every(isSegment) && ids[0] !== ids[1] ? [{ double, service, step }] : []
      })
    if (!at) return result
    const differences = [{ ...difference, path: [model.idProperty], at }]
    return { ...result, probe: { ...probe, steps: [at.step] }, differences }
  })

/** Creates the result of a probe about what the pull has read of a listing. */
function unsent(probe: Probe, list: ProbedOperation, difference: Difference, json: Json): ProbeResult {
  const [mediaType, text] = ['application/json', JSON.stringify(json)]
  const exchange = { status: 200, headers: { 'content-type': mediaType }, text, mediaType, json }
  const step = stepOf(list, withQuery(list.path, list.query), difference.place)
  const differences = [{ ...difference, at: { step, double: exchange, service: exchange } }]
  return { probe: { ...probe, steps: [step] }, outcome: 'differs', differences, steps: [], created: [], agreed: [] }
}

/**
 * Probes of the effect of an operation come first. So a wrong cap is not a difference about undocumented parameters, although a request with
 * an undocumented parameter shows it too.
 */
function attributeToFirstProbe(results: readonly ProbeResult[]): readonly ProbeResult[] {
  const causes = new Map<string, SpecPath>()
  return results.map((result) => {
    const { baseline, operation } = result.probe
    const base = results.find(({ probe }) => baseline !== undefined && probe.name === baseline)
    const differences = result.differences.map((difference): FoundDifference => {
      const { part, place, what } = difference
      const found = base?.differences.find((each) => each.part === part && each.what === what)
      if (found) return { ...difference, place: found.place }
      // A status depends on the request, which differs in each probe.
      if (part === 'status') return difference
      const key = JSON.stringify([operation, part, what])
      const cause = causes.get(key) ?? place
      causes.set(key, cause)
      return { ...difference, place: cause }
    })
    return { ...result, differences }
  })
}

/** Sends requests that showed differences again. A difference between the two responses of the service is noise. @param isChanged - True if the run may have changed what they show. @returns Those with another status. */
export async function findUnstable(
  results: readonly ProbeResult[],
  client: ServiceClient,
  ask: Ask,
  noise: Noise,
  maxRequests: number,
  isChanged: boolean,
): Promise<ReadonlySet<ProbeStep>> {
  const unstable = new Set<ProbeStep>()
  const steps = new Map(
    // After a change, the same request has another response.
    results
      .filter(({ probe }) => !mayChange(probe.steps) || probe.steps.every(({ isRepeatable }) => isRepeatable))
      .flatMap(({ differences }) => differences.map(({ at, part }) => [at.step, { ...at, part }])),
  )
  const before = client.sent
  // If the service ends the run, the differences are reported without confirmation.
  await untilRunEnds(async () => {
    for (const [step, { part, service }] of steps) {
      const { collection, operation } = step.probed ?? {}
      const isKnown = part !== 'order' || noise.unordered.has(collection?.name ?? '')
      // After a change, the same list may have another order.
      let earlier = isChanged ? undefined : service
      // An order that changes may be the same by chance.
      for (let time = 0; time < (isKnown ? 1 : 20); time += 1) {
        if (client.isEnded || client.sent - before >= maxRequests) return
        const again = await ask(step)
        if ('failure' in again || again.status !== service.status) unstable.add(step)
        else if (part === 'order' && collection) {
          const [one = [], other = []] = [earlier, again].map((each) => idsInListing(collection, each?.json))
          // The run may have added records in the meantime.
          const [common, inOther] = [one.filter((id) => other.includes(id)), other.filter((id) => one.includes(id))]
          if (common.join('\n') !== inOther.join('\n')) noise.unordered.add(collection.name)
          earlier = again
        }
        // The reads before and after the probes find the noise in listings.
        else if (again.json !== undefined && !Array.isArray(again.json)) {
          const name = operation?.id ?? ''
          noise.addBodies(name, service.json, again.json, '', isChanged)
          if (!isChanged) continue
          const third = await ask(step)
          if ('json' in third) noise.addBodies(name, again.json, third.json)
        }
      }
    }
  })
  return unstable
}

/** The parts of a response that its documentation describes. The place of such a difference is there, whatever the request was about. */
const describedParts: ReadonlySet<Difference['part']> = new Set(['header', 'body', 'order', 'schema'])

/**
 * Finds the results that support or refute each assumption of the spec. The place of an assumption determines the probes: those whose steps
 * test it, and for a part of a response each probe that gets this response.
 */
export function evaluateAssumptions(contract: Contract, results: readonly ProbeResult[]): readonly AssumptionResult[] {
  const assumptions = listAssumptions(contract)
  const at = (place: SpecPath): Assumption | undefined => assumptionAt(contract, assumptions, place)
  const shown = results.flatMap(({ agreed, differences, probe: { name, steps } }) => {
    const subjects = new Set(steps.map(({ tests }) => at(tests)))
    // A difference that an earlier probe shows too has the place of that probe.
    const against = differences.filter(({ part, place }) => describedParts.has(part) || subjects.has(at(place)))
    const refuted = against.map(({ place }) => ({ name, about: at(place), refutes: true }))
    return [...refuted, ...agreed.map((place) => ({ name, about: at(place), refutes: false }))]
  })
  return assumptions.map((assumption) => {
    const own = shown.filter(({ about }) => about === assumption)
    const isRefuted = own.some(({ refutes }) => refutes)
    const names = own.filter(({ refutes }) => refutes === isRefuted).map(({ name }) => name)
    const outcome = isRefuted ? 'refuted' : names.length > 0 ? 'supported' : 'open'
    return { ...assumption, outcome, probes: [...new Set(names)] }
  })
}
