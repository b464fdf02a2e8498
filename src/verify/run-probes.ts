import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Contract } from '../contract/contract.js'
import { essenceOf, jsonTypeIn } from '../contract/media-types.js'
import { isObject, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { type DoubleOptions, type FixtureDocument, startDouble } from '../index.js'
import { onceFor } from '../once.js'
import { isSegment, standInToken, withCredential } from '../pull/requests.js'
import type { Exchange, ServiceResponse } from '../pull/service-client.js'
import { createServiceClient, isSuccess, RunError } from '../pull/service-client.js'
import { idOf } from '../resources/infer/id-property.js'
import type { ServiceRequest } from '../send-request.js'
import { createdIdPlaceholder, isSafeMethod, type Probe, type ProbeStep } from './probe.js'

/** Answers the request of a step: the service, the double, or what was recorded. @param id - The id of the record that the probe created there. */
export type Ask = (step: ProbeStep, id?: string) => Promise<Exchange>

export interface AnswerSource {
  /** @returns A function that also gets the request as a stand-in of the caller would send it. */
  askFor(probe: Probe): (asStandIn: ServiceRequest, ...step: Parameters<Ask>) => Promise<Exchange>
  /** Returns the reason why a probe cannot be sent, as a clause. @param requests - The number of steps so far. */
  refusal(probe: Probe, requests: number): string | undefined
  /** Returns the state to copy into the double after a probe. Undefined: it has it. @throws {RunError} No further probe can be sent. */
  stateAfter(sent: SentProbe, count: number): Promise<FixtureDocument | undefined>
}

/** A request to the service as stand-ins of the callers would send it, and the answer. */
export interface Answer {
  readonly request: Pick<ServiceRequest, 'body' | 'method' | 'target'>
  readonly service: Exchange
}

export interface SentStep {
  readonly step: ProbeStep
  readonly service: Exchange
  readonly double: Exchange
}

export interface AnsweredStep extends SentStep {
  readonly double: ServiceResponse
  readonly service: ServiceResponse
}

/** The ids of the records that a probe created, in their order, and the properties that it sent since the last creation. */
export type ProbeCreation = ReturnType<typeof creationOf>

export interface SentProbe extends Awaited<ReturnType<typeof sendProbe>> {
  readonly answers: readonly Answer[]
  /** The state of the service after the probe, as a fixture, if it has changed the service and the double differently. */
  readonly copied?: FixtureDocument | undefined
}

export const notSent = (probe: Probe, stopped: string | undefined): SentProbe => {
  return { probe, steps: [], answers: [], creation: creationOf([]), stopped, leftBehind: undefined }
}

/** Calls a function with the path of a file with a whole contract, its overlay applied. It is in a folder of its own. */
export async function withContractFile<T>({ document }: Contract, use: (spec: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-'))
  try {
    const spec = join(folder, 'contract.json')
    await writeFile(spec, JSON.stringify(document))
    return await use(spec)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Sends probes to a source and to a double. @param options - The fixture of the double, which has the records of the source, and its handlers. */
export async function runProbes(
  probes: readonly Probe[],
  source: AnswerSource,
  contract: Contract,
  options: Pick<DoubleOptions, 'fixture' | 'handlers'>,
): Promise<readonly SentProbe[]> {
  await using double = await withContractFile(contract, (spec) => startDouble({ ...options, spec }))
  // A connection for each request would take half of the time.
  const agent = new Agent({ keepAlive: true })
  const client = createServiceClient({ url: double.url, timeoutMs: 60_000, agent })
  const tokenOf = onceFor((name: string) => standInToken(contract, name))
  const asStandIn = (step: ProbeStep, id?: string): ServiceRequest => toRequest(step, tokenOf, id)
  const all: SentProbe[] = []
  const accepted = new Map<string, number>()
  let requests = 0
  let ended: string | undefined
  for (const probe of probes) {
    const stopped = ended ?? source.refusal(probe, requests)
    if (stopped !== undefined || probe.steps.length === 0) {
      all.push(notSent(probe, stopped))
      continue
    }
    const answers: Answer[] = []
    const ask = source.askFor(probe)
    const asked: Ask = async (step, id) => {
      const request = asStandIn(step, id)
      const service = await ask(request, step, id)
      answers.push({ request, service })
      return service
    }
    const toDouble: Ask = (step, id) => client.send(asStandIn(step, id))
    const sent = { ...(await sendProbe(probe, asked, toDouble, accepted)), answers }
    let copied: FixtureDocument | undefined
    ended = await untilRunEnds(async () => {
      copied = await source.stateAfter(sent, all.length + 1)
      const refuse = (): never => {
        throw new RunError('The state of the service could not be copied again.')
      }
      if (copied) await double.setState(copied).catch(refuse)
    })
    all.push({ ...sent, copied })
    requests += sent.steps.length
  }
  agent.destroy()
  return all
}

/** Runs a part of a run that an error of the service ends. @returns The reason as a clause, or what the part returns. */
export async function untilRunEnds(part: () => Promise<string | void>): Promise<string | undefined> {
  try {
    return (await part()) ?? undefined
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    const { message } = error
    return `${message.slice(0, 1).toLowerCase()}${message.slice(1).replace(/\.$/u, '')}`
  }
}

/** Creates the request of a step for one of the two services. @param id - The id of the record that the probe created in it. */
export function toRequest(step: ProbeStep, tokenOf: (caller: string) => string, id = ''): ServiceRequest {
  const { body, credential, headers = {}, method, probed, target } = step
  const parts = credential(tokenOf)
  const path = target.replace(createdIdPlaceholder, encodeURIComponent(id))
  const contents = (probed?.operation.responses ?? []).flatMap((response) => response.contents)
  const documented = new Set(contents.map(({ mediaType }) => essenceOf(mediaType)))
  const isJsonDocumented = documented.size === 0 || [...documented].some((each) => jsonTypeIn(each) !== undefined)
  const accept = isJsonDocumented ? 'application/json' : [...documented].join(', ')
  const sent = body?.replaceAll(createdIdPlaceholder, () => JSON.stringify(id).slice(1, -1))
  return { method, target: withCredential(path, parts), headers: { accept, ...headers, ...parts.headers }, body: sent }
}

/** Tells whether a response says that the body of the request is not valid. Some services fail with it. */
const isRefusal = (exchange: Exchange): boolean => !('failure' in exchange) && exchange.status >= 400

/**
 * Sends a probe to both services, and removes the records that it created. If the service ends the run, the rest of the probe is not sent.
 * @param accepted - The index of the accepted body among those of a creation, by operation. The probe adds to it.
 * @returns `stopped`: the reason why not all requests were sent, as a clause. `leftBehind`: the record that could not be removed, as a sentence.
 */
async function sendProbe(probe: Probe, service: Ask, double: Ask, accepted: Map<string, number>) {
  const steps: SentStep[] = []
  const refused: Pick<SentStep, 'service' | 'step'>[] = []
  /** The creation without a response: it is not known whether the service has created a record. */
  let unanswered: ProbeStep | undefined
  /** Sends a step to the service, with the first of its bodies that is not refused. */
  const askService = async (planned: ProbeStep): Promise<Pick<SentStep, 'service' | 'step'>> => {
    const [id] = creationOf(steps).serviceIds
    const send = async (body = planned.body): Promise<Pick<SentStep, 'service' | 'step'>> => {
      const step = body === undefined ? planned : { ...planned, body }
      if (step.isCreation) unanswered = step
      const answer = await service(step, id)
      if (isRefusal(answer) && id === undefined) await removeRefused(step, service)
      if (!('failure' in answer)) unanswered = undefined
      return { step, service: answer }
    }
    const operation = planned.probed?.operation.id ?? ''
    let asked = await send(planned.variants?.[accepted.get(operation) ?? 0])
    for (const [index, body] of (planned.otherBodies ?? []).entries()) {
      if (!isRefusal(asked.service)) break
      if (planned.isCreation) refused.push(asked)
      asked = await send(body)
      accepted.set(operation, index + 1)
    }
    return asked
  }
  const stopped = await untilRunEnds(async () => {
    for (const planned of probe.steps) {
      const known = creationOf(steps)
      const [id] = known.serviceIds
      if (id === undefined && planned.target.includes(createdIdPlaceholder))
        return 'the id of the created record is not known'
      const asked = await askService(planned)
      // A double that tells no id has no such record.
      const answered = await double(asked.step, known.doubleIds[0] ?? id)
      steps.push({ ...asked, double: answered })
      if ('failure' in asked.service) return `the service ${asked.service.failure}`
      // If only one of them has created a record, the next requests would differ for this reason. An invalid body creates none.
      const created = [answered, asked.service].filter(isSuccess).length
      const isInvalid = planned.variants !== undefined && planned.isRepeated !== true
      if (planned.isCreation && (created === 1 || (created === 0 && isInvalid))) break
    }
    return undefined
  })
  const creation = creationOf(steps)
  for (const id of creation.doubleIds) await remove(probe, double, id)
  const left: (string | undefined)[] = []
  // A change may have given the record another id.
  const changed = steps.flatMap(({ service: answer, step }) =>
    step.target.includes(createdIdPlaceholder) && !isSafeMethod(step.method) ? (idIn(step, answer) ?? []) : [],
  )
  const known = new Set(steps.flatMap(({ step }) => step.knownIds ?? []))
  for (const id of new Set([...creation.serviceIds, ...changed.filter((each) => !known.has(each))]))
    left.push(await remove(probe, service, id))
  // The double gets what the service refused last, so that both have the same records before.
  for (const asked of refused) {
    const ours = await double(asked.step)
    steps.push({ ...asked, double: ours })
    for (const id of idsIn(asked.step, ours)) await remove(probe, double, id)
  }
  const { collection, operation } = (unanswered ?? probe.steps.find(({ isCreation }) => isCreation))?.probed ?? {}
  const why = unanswered ? 'got no response' : 'got no id'
  const what = collection ? `a record of ${collection.name}` : 'what it created'
  const unknown = `${operation?.id ?? ''} ${why}, so ${what} may be left behind.`
  const isCreated = steps.some(
    ({ service: answer, step }) => step.isCreation && isSuccess(answer) && !isOld(step, idIn(step, answer)),
  )
  const isLeft = unanswered?.removal !== undefined || (isCreated && creation.serviceIds.length === 0)
  const leftBehind = isLeft ? unknown : left.find((each) => each !== undefined)
  return { probe, steps, creation, stopped, leftBehind }
}

/** Removes the record of a refused request, if its id is made up: some services refuse it and have created it. */
async function removeRefused({ body = '', madeUp, probed, removal }: ProbeStep, service: Ask): Promise<void> {
  const sent = jsonIn(body)
  const id = isObject(sent) && probed?.collection ? idOf(probed.collection.model, sent) : undefined
  if (removal && madeUp !== undefined && typeof id === 'string' && id.includes(madeUp)) await service(removal, id)
}

/** Removes a record that a probe has created. One that does not exist is not an error. @returns That it remains, as a sentence. */
async function remove({ steps }: Probe, ask: Ask, id: string): Promise<string | undefined> {
  const { probed, removal } = steps.find(({ isCreation }) => isCreation) ?? {}
  if (!removal) return `${probed?.operation.id ?? ''} created what this run cannot remove, so it is left behind.`
  const reason = await untilRunEnds(async () => {
    const exchange = await ask(removal, id)
    if ('failure' in exchange) return `the service ${exchange.failure}`
    const { status } = exchange
    return status < 300 || status === 404 || status === 410 ? undefined : `the service answers ${status}`
  })
  const what = `The record ${id} of ${probed?.collection?.name ?? ''}, which this run created, was not removed`
  return reason && `${what}: ${reason}.`
}

function creationOf(steps: readonly SentStep[]) {
  const isCreation = ({ step }: SentStep): boolean => step.isCreation === true
  const created = steps.filter(isCreation)
  const sent = steps.slice(Math.max(0, steps.findLastIndex(isCreation))).map(({ step }) => jsonIn(step.body ?? ''))
  const doubleIds = created.flatMap(({ double, step }) => idsIn(step, double))
  const serviceIds = created.flatMap(({ service, step }) => idsIn(step, service))
  return {
    sent: new Map(sent.flatMap((body) => Object.entries(objectOf(body)))),
    doubleIds,
    serviceIds,
    /** True if a response has not told the id of what was created, so that it cannot be found in a listing. */
    isAnonymous: created.length > Math.min(doubleIds.length, serviceIds.length),
  }
}

/** Tells whether a creation was answered with a record that was there before. */
const isOld = ({ knownIds = [] }: ProbeStep, id: string | undefined): boolean =>
  id !== undefined && knownIds.includes(id)

/** Returns the ids of the created records. Empty: none was created, or its id is not known. */
function idsIn(step: ProbeStep, exchange: Exchange): readonly string[] {
  const shown =
    isSuccess(exchange) && Array.isArray(exchange.json)
      ? exchange.json.map((json) => ({ ...exchange, json }))
      : [exchange]
  return shown.flatMap((each) => {
    const id = idIn(step, each)
    return id === undefined || isOld(step, id) ? [] : [id]
  })
}

/** Returns the id of the record in the response to a creation. Undefined: it was refused, or tells none. */
function idIn({ body = '', probed }: ProbeStep, exchange: Exchange): string | undefined {
  if (!isSuccess(exchange)) return undefined
  const { model } = probed?.collection ?? {}
  // The record is the body, or is in one of its properties. Some services send only its id, named like the parameter.
  const places = [exchange.json, ...Object.values(objectOf(exchange.json))].map(objectOf)
  const inResponse = [model?.idProperty ?? 'id', model?.parameter?.name ?? 'id'].flatMap((name) =>
    places.map((each) => (Object.hasOwn(each, name) ? each[name] : undefined)),
  )
  const location = exchange.headers['location']?.split('/').at(-1)
  const sent = model && idOf(model, objectOf(jsonIn(body)))
  const id = [...inResponse, location && decodeURIComponent(location), sent].find(isSegment)
  return id === undefined ? undefined : String(id)
}
