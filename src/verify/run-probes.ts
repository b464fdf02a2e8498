import { essenceOf, jsonTypeIn } from '../contract/media-types.js'
import { isObject } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import type { FixtureDocument } from '../index.js'
import { withCredential } from '../pull/requests.js'
import { type Exchange, RunError, type ServiceClient, type ServiceResponse } from '../pull/service-client.js'
import { idOf } from '../resources/infer/id-property.js'
import type { ServiceRequest } from '../send-request.js'
import { createdIdPlaceholder, type Probe, type ProbeStep } from './probe.js'

/** A service that probes are sent to: the real one, or the double. */
export interface ComparedService {
  readonly client: Pick<ServiceClient, 'send'>
  readonly tokenOf: (caller: string) => string
}

/** A request to the service, and its answer. */
export interface Answer {
  readonly request: ServiceRequest
  readonly service: Exchange
}

interface AskedStep extends Answer {
  readonly step: ProbeStep
}

export interface SentStep extends AskedStep {
  readonly double: Exchange
}

export interface AnsweredStep extends SentStep {
  readonly double: ServiceResponse
  readonly service: ServiceResponse
}

export type ProbeCreation = Pick<Created, 'doubleIds' | 'serviceIds' | 'sent'>

export interface SentProbe {
  readonly probe: Probe
  readonly steps: readonly SentStep[]
  readonly answers: readonly Answer[]
  /** The state of the service after the probe, as a fixture, if it has changed the service and the double differently. */
  readonly copied?: FixtureDocument | undefined
  readonly creation: ProbeCreation
  /** The reason why not all requests of the probe were sent, as a clause. */
  readonly stopped?: string | undefined
  /** The record that the probe created in the service and could not remove, as a sentence. */
  readonly leftBehind?: string | undefined
}

/** Creates the result of a probe that is not sent. */
export const notSent = (probe: Probe, stopped: string | undefined): SentProbe => ({
  probe,
  steps: [],
  answers: [],
  creation: new Created(),
  stopped,
})

/** Runs a part of a run that an error of the service ends. @returns The reason as a clause, or what the part returns. */
export async function untilRunEnds(part: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await part()
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    const { message } = error
    return `${message.slice(0, 1).toLowerCase()}${message.slice(1).replace(/\.$/u, '')}`
  }
}

/** Creates the request of a step for one of the two services. @param id - The id of the record that the probe created in it. */
export function toRequest(
  { body, credential, headers = {}, method, probed, target }: ProbeStep,
  tokenOf: ComparedService['tokenOf'],
  id = '',
): ServiceRequest {
  const parts = credential(tokenOf)
  const path = target.replace(createdIdPlaceholder, encodeURIComponent(id))
  const contents = (probed?.operation.responses ?? []).flatMap((response) => response.contents)
  const documented = new Set(contents.map(({ mediaType }) => essenceOf(mediaType)))
  const isJsonDocumented = documented.size === 0 || [...documented].some((each) => jsonTypeIn(each) !== undefined)
  const accept = isJsonDocumented ? 'application/json' : [...documented].join(', ')
  return { method, target: withCredential(path, parts), headers: { accept, ...headers, ...parts.headers }, body }
}

/** Tells whether a response says that the body of the request is not valid. */
const isRefusal = (exchange: Exchange): boolean =>
  !('failure' in exchange) && exchange.status >= 400 && exchange.status < 500

/** Sends a probe to both services, and removes the records that it created. If the service ends the run, the rest of the probe is not sent. */
export async function sendProbe(
  probe: Probe,
  { client, tokenOf }: ComparedService,
  double: ComparedService,
): Promise<SentProbe> {
  const steps: SentStep[] = []
  const refused: AskedStep[] = []
  const accepted = new Map<string | undefined, string>()
  const created = new Created()
  const answers: Answer[] = []
  const service: ComparedService = {
    tokenOf,
    client: {
      send: async (request) => {
        const answer = await client.send(request)
        answers.push({ request, service: answer })
        return answer
      },
    },
  }
  /** Sends a step to the service, with the first of its bodies that is not refused. */
  const ask = async (planned: ProbeStep): Promise<AskedStep> => {
    const send = async (body = planned.body): Promise<AskedStep> => {
      const step = body === undefined ? planned : { ...planned, body }
      const request = toRequest(step, service.tokenOf, created.serviceIds[0])
      created.begin(step)
      const answer = await service.client.send(request)
      if (isRefusal(answer) && created.serviceIds.length === 0) await removeRefused(step, service)
      return { step, request, service: answer }
    }
    let asked = await send(accepted.get(planned.body))
    for (const body of planned.otherBodies ?? []) {
      if (!isRefusal(asked.service)) break
      if (planned.isCreation) refused.push(asked)
      asked = await send(body)
      accepted.set(planned.body, body)
    }
    return asked
  }
  const stopped = await untilRunEnds(async () => {
    for (const planned of probe.steps) {
      const asked = await ask(planned)
      const { service: theirs, step } = asked
      const ours = await double.client.send(toRequest(step, double.tokenOf, created.doubleIds[0]))
      steps.push({ ...asked, double: ours })
      created.record(step, ours, theirs)
      if ('failure' in theirs) return `the service ${theirs.failure}`
      // If only one of them has created a record, the next requests would differ for this reason.
      if (step.isCreation && created.isHalf) break
    }
    return undefined
  })
  const leftBehind = await created.removeRest(service, double)
  // The double gets what the service refused last, so that both have the same records before.
  for (const asked of refused) {
    const alone = new Created()
    const ours = await double.client.send(toRequest(asked.step, double.tokenOf))
    steps.push({ ...asked, double: ours })
    alone.begin(asked.step)
    alone.record(asked.step, ours, asked.service)
    await alone.removeRest(service, double)
  }
  return { probe, steps, answers, creation: created, stopped, leftBehind }
}

/** Removes the record of a refused request, if its id is made up: some services refuse it and have created it. */
async function removeRefused({ body = '', madeUp, probed, removal }: ProbeStep, side: ComparedService): Promise<void> {
  const sent = jsonIn(body)
  const id = isObject(sent) && probed?.collection ? idOf(probed.collection.model, sent) : undefined
  if (!removal || madeUp === undefined || typeof id !== 'string' || !id.includes(madeUp)) return
  await side.client.send(toRequest(removal, side.tokenOf, id))
}

class Created {
  /** The names of the properties that the probe sent. */
  readonly sent = new Set<string>()
  /** The ids of the records that it created, in their order. */
  readonly doubleIds: string[] = []
  readonly serviceIds: string[] = []
  #create: ProbeStep | undefined
  #isUnanswered = false

  /** True if one of the services has created more records. */
  get isHalf(): boolean {
    return this.doubleIds.length !== this.serviceIds.length
  }

  /** Notes that a step will be sent. Without a response, it is not known whether the service has created a record. */
  begin(step: ProbeStep): void {
    const { body, isCreation } = step
    const sent = jsonIn(body ?? '')
    if (isCreation) this.sent.clear()
    if (isObject(sent)) for (const name of Object.keys(sent)) this.sent.add(name)
    if (!isCreation) return
    this.#create = step
    this.#isUnanswered = true
  }

  record({ isCreation }: ProbeStep, double: Exchange, service: Exchange): void {
    if (!isCreation) return
    this.#isUnanswered = 'failure' in service
    this.doubleIds.push(...this.#idsIn(double))
    this.serviceIds.push(...this.#idsIn(service))
  }

  /** Returns the id of the created record. Empty: none was created, or its id is not known. */
  #idsIn(exchange: Exchange): readonly string[] {
    if ('failure' in exchange || exchange.status >= 300) return []
    const name = this.#create?.probed?.collection?.model.idProperty ?? 'id'
    // The record is the body, or is in one of its properties.
    const places = isObject(exchange.json) ? [exchange.json, ...Object.values(exchange.json)] : []
    const id = places.filter((each) => isObject(each)).find((each) => Object.hasOwn(each, name))?.[name]
    const location = exchange.headers['location']?.split('/').at(-1)
    if (typeof id === 'string' || typeof id === 'number') return [String(id)]
    return location ? [decodeURIComponent(location)] : []
  }

  /** Removes the created records. One that does not exist is not an error. @returns The record that remains in the service, as a sentence. */
  async removeRest(service: ComparedService, double: ComparedService): Promise<string | undefined> {
    const { probed, removal } = this.#create ?? {}
    if (!removal) return undefined
    const removeFrom = (side: ComparedService, id: string): Promise<string | undefined> =>
      untilRunEnds(async () => {
        const exchange = await side.client.send(toRequest(removal, side.tokenOf, id))
        if ('failure' in exchange) return `the service ${exchange.failure}`
        const isRemoved = exchange.status < 300 || [404, 410].includes(exchange.status)
        return isRemoved ? undefined : `the service answers ${exchange.status}`
      })
    for (const id of this.doubleIds) await removeFrom(double, id)
    const name = probed?.collection?.name ?? ''
    const left: string[] = []
    for (const id of this.serviceIds) {
      const reason = await removeFrom(service, id)
      if (reason !== undefined)
        left.push(`The record ${id} of ${name}, which this run created, was not removed: ${reason}.`)
    }
    return this.#isUnanswered
      ? `${probed?.operation.id ?? ''} got no response, so a record of ${name} may be left behind.`
      : left[0]
  }
}
