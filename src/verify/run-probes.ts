import { isObject } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { withCredential } from '../pull/requests.js'
import { RunError } from '../pull/run-limits.js'
import type { Exchange, ServiceClient, ServiceResponse } from '../pull/service-client.js'
import type { ServiceRequest } from '../send-request.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder, type Probe, type ProbedOperation, type ProbeStep, stepOf } from './probe.js'

/** A service that probes are sent to: the real one, or the double. */
export interface ComparedService {
  readonly client: ServiceClient
  readonly tokenOf: (caller: string) => string
}

export interface SentStep {
  readonly step: ProbeStep
  readonly request: ServiceRequest
  readonly double: Exchange
  readonly service: Exchange
}

export interface AnsweredStep extends SentStep {
  readonly double: ServiceResponse
  readonly service: ServiceResponse
}

export interface ProbeCreation {
  readonly doubleId: string | undefined
  readonly serviceId: string | undefined
  readonly sent: ReadonlySet<string>
}

export interface SentProbe {
  readonly probe: Probe
  readonly steps: readonly SentStep[]
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
  creation: { doubleId: undefined, serviceId: undefined, sent: new Set() },
  stopped,
})

/** Runs a part of a run that an error of the service ends. @returns The reason as a clause. Undefined: the part ended by itself. */
export async function untilRunEnds(part: () => Promise<void>): Promise<string | undefined> {
  try {
    await part()
    return undefined
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    const { message } = error
    return `${message.slice(0, 1).toLowerCase()}${message.slice(1).replace(/\.$/u, '')}`
  }
}

/** Creates the request of a step for one of the two services. @param id - The id of the record that the probe created in it. */
export function toRequest(
  { body, credential, headers = {}, method, target }: ProbeStep,
  tokenOf: ComparedService['tokenOf'],
  id = '',
): ServiceRequest {
  const parts = credential(tokenOf)
  const path = target.replace(createdIdPlaceholder, encodeURIComponent(id))
  return { method, target: withCredential(path, parts), headers: { ...headers, ...parts.headers }, body }
}

/** Sends a probe to both services, and removes the records that it created. If the service ends the run, the rest of the probe is not sent. */
export async function sendProbe(
  probe: Probe,
  service: ComparedService,
  double: ComparedService,
  context: ProbeContext,
): Promise<SentProbe> {
  const steps: SentStep[] = []
  const created = new Created()
  let failed: string | undefined
  const stopped = await untilRunEnds(async () => {
    for (const step of probe.steps) {
      const request = toRequest(step, service.tokenOf, created.serviceId)
      created.begin(step)
      const [theirs, ours] = await Promise.all([
        service.client.send(request),
        double.client.send(toRequest(step, double.tokenOf, created.doubleId)),
      ])
      steps.push({ step, request, double: ours, service: theirs })
      created.record(step, ours, theirs)
      if ('failure' in theirs) failed = `the service ${theirs.failure}`
      // If only one of them has created a record, the next requests would differ for this reason.
      if (failed !== undefined || (step.isCreation && created.isHalf)) break
    }
  })
  const leftBehind = await created.removeRest(service, double, context)
  return { probe, steps, creation: created, stopped: stopped ?? failed, leftBehind }
}

class Created implements ProbeCreation {
  readonly sent = new Set<string>()
  doubleId: string | undefined
  serviceId: string | undefined
  #create: ProbedOperation | undefined
  #isUnanswered = false

  /** True if only one of the services has created a record. */
  get isHalf(): boolean {
    return (this.doubleId === undefined) !== (this.serviceId === undefined)
  }

  /** Notes that a step will be sent. Without a response, it is not known whether the service has created a record. */
  begin({ body, isCreation, probed }: ProbeStep): void {
    const sent = jsonIn(body ?? '')
    if (isObject(sent)) for (const name of Object.keys(sent)) this.sent.add(name)
    if (!isCreation) return
    this.#create = probed
    this.#isUnanswered = true
  }

  record({ isCreation }: ProbeStep, double: Exchange, service: Exchange): void {
    if (!isCreation) return
    this.#isUnanswered = 'failure' in service
    this.doubleId = this.#idIn(double) ?? this.doubleId
    this.serviceId = this.#idIn(service) ?? this.serviceId
  }

  #idIn(exchange: Exchange): string | undefined {
    if ('failure' in exchange || exchange.status >= 300) return undefined
    const name = this.#create?.collection?.model.idProperty ?? 'id'
    // The record is the body, or is in one of its properties.
    const places = isObject(exchange.json) ? [exchange.json, ...Object.values(exchange.json)] : []
    const id = places.filter((each) => isObject(each)).find((each) => Object.hasOwn(each, name))?.[name]
    const location = exchange.headers['location']?.split('/').at(-1)
    return typeof id === 'string' || typeof id === 'number' ? String(id) : location && decodeURIComponent(location)
  }

  /** Removes the created record. One that does not exist is not an error. @returns The record that remains in the service, as a sentence. */
  async removeRest(
    service: ComparedService,
    double: ComparedService,
    context: ProbeContext,
  ): Promise<string | undefined> {
    const remove = this.#create && context.sibling(this.#create, 'remove')
    if (!remove) return undefined
    const removeFrom = async (side: ComparedService, id: string | undefined): Promise<string | undefined> => {
      if (id === undefined) return undefined
      let failed: string | undefined
      const ended = await untilRunEnds(async () => {
        const request = toRequest(stepOf(remove, context.itemTarget(remove, id), []), side.tokenOf)
        const exchange = await side.client.send(request)
        if ('failure' in exchange) failed = `the service ${exchange.failure}`
        else if (exchange.status >= 300 && ![404, 410].includes(exchange.status))
          failed = `the service answers ${exchange.status}`
      })
      return ended ?? failed
    }
    await removeFrom(double, this.doubleId)
    const reason = await removeFrom(service, this.serviceId)
    const name = remove.collection?.name ?? ''
    if (this.#isUnanswered)
      return `${this.#create?.operation.id ?? ''} got no response, so a record of ${name} may be left behind.`
    return reason === undefined
      ? undefined
      : `The record ${this.serviceId ?? ''} of ${name}, which this run created, was not removed: ${reason}.`
  }
}
