/** Sends the requests of probes to the service and to the private double. */
import type { Json } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import { RunError } from '../pull/run-error.js'
import type { Exchange, ServiceClient, ServiceRequest } from '../pull/service-client.js'
import type { ProbeCreation } from './differences.js'
import type { ProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import { createdIdPlaceholder } from './probe.js'

/** A service that probes are sent to: the real one, or the double. */
export interface ComparedService {
  readonly client: ServiceClient
  /** Returns the token of a caller of this service. */
  readonly tokenOf: (caller: string) => string
}

/** A request, and the responses of both services. */
export interface ProbedStep {
  readonly step: ProbeStep
  readonly request: ServiceRequest
  readonly double: Exchange
  readonly service: Exchange
}

/** A probe that was sent. */
export interface SentProbe {
  readonly probe: Probe
  readonly steps: readonly ProbedStep[]
  readonly creation: ProbeCreation
  /** The reason why not all requests of the probe were sent, as a clause. Undefined: all were sent. */
  readonly stopped: string | undefined
  /** The record that the probe created in the service and could not remove, as a sentence. */
  readonly leftBehind: string | undefined
}

/** Writes the message of an error that ended a run as a clause. */
export const clauseOf = ({ message }: RunError): string =>
  `${message.slice(0, 1).toLowerCase()}${message.slice(1).replace(/\.$/u, '')}`

/** Creates the request of a step for one of the two services. @param id - The id of the record that the probe created in it. */
export function toRequest(
  { body, credential, headers = {}, method, target }: ProbeStep,
  { tokenOf }: Pick<ComparedService, 'tokenOf'>,
  id = '',
): ServiceRequest {
  const parts = credential(tokenOf)
  const query = Object.entries(parts.query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const path = target.replace(createdIdPlaceholder, encodeURIComponent(id))
  const whole = query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`
  return { method, target: whole, headers: { ...headers, ...parts.headers }, body }
}

/** Sends a probe to both services, and removes the records that it created. If the service ends the run, the rest of the probe is not sent. */
export async function sendProbe(
  probe: Probe,
  service: ComparedService,
  double: ComparedService,
  context: ProbeContext,
): Promise<SentProbe> {
  const steps: ProbedStep[] = []
  const created = new Created(context)
  let stopped: string | undefined
  try {
    for (const step of probe.steps) {
      const request = toRequest(step, service, created.serviceId)
      created.begin(step)
      const [theirs, ours] = await Promise.all([
        service.client.send(request),
        double.client.send(toRequest(step, double, created.doubleId)),
      ])
      steps.push({ step, request, double: ours, service: theirs })
      created.record(step, ours, theirs)
      if ('failure' in theirs) {
        stopped = `the service ${theirs.failure}`
        break
      }
      if (step.isCreation && step.tests.at(-1) !== undefined && created.isHalf) break
    }
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    stopped = clauseOf(error)
  }
  const leftBehind = await created.removeRest(service, double)
  return { probe, steps, creation: created, stopped, leftBehind }
}

/** The record that a probe created in both services. */
class Created implements ProbeCreation {
  readonly sent = new Set<string>()
  doubleId: string | undefined
  serviceId: string | undefined
  #step: ProbeStep | undefined
  #isUnanswered = false
  readonly #context: ProbeContext

  constructor(context: ProbeContext) {
    this.#context = context
  }

  /** True if only one of the services has created a record. */
  get isHalf(): boolean {
    return (this.doubleId === undefined) !== (this.serviceId === undefined)
  }

  /** Notes that a step will be sent. Without a response, it is not known whether the service has created a record. */
  begin(step: ProbeStep): void {
    if (step.body !== undefined) for (const name of propertiesOf(step.body)) this.sent.add(name)
    if (!step.isCreation) return
    this.#step = step
    this.#isUnanswered = true
  }

  record(step: ProbeStep, double: Exchange, service: Exchange): void {
    if (!step.isCreation) return
    this.#isUnanswered = 'failure' in service
    this.doubleId = this.#idIn(double) ?? this.doubleId
    this.serviceId = this.#idIn(service) ?? this.serviceId
  }

  #idIn(exchange: Exchange): string | undefined {
    if ('failure' in exchange || exchange.status >= 300) return undefined
    const probed = this.#context.operations.find(({ operation }) => operation === this.#step?.operation)
    const name = probed?.collection?.model.idProperty ?? 'id'
    // The record is the body, or is in one of its properties.
    const places = isObject(exchange.json) ? [exchange.json, ...Object.values(exchange.json)] : []
    const id = places.filter((each) => isObject(each)).find((each) => Object.hasOwn(each, name))?.[name]
    const location = exchange.headers['location']?.split('/').at(-1)
    return typeof id === 'string' || typeof id === 'number' ? String(id) : location && decodeURIComponent(location)
  }

  /** Removes the remaining created records. A record that does not exist is not an error. @returns The records that remain in the service, as a sentence. */
  async removeRest(service: ComparedService, double: ComparedService): Promise<string | undefined> {
    const create = this.#context.operations.find(({ operation }) => operation === this.#step?.operation)
    const remove = this.#context.operations.find(
      ({ collection, decision }) => decision.role === 'remove' && collection === create?.collection,
    )
    if (!remove) return undefined
    const removeFrom = async (side: ComparedService, id: string): Promise<string | undefined> => {
      const step: ProbeStep = {
        method: remove.operation.method,
        target: this.#context.itemTarget(remove, id),
        operation: remove.operation,
        credential: remove.credential,
        tests: [],
      }
      try {
        const exchange = await side.client.send(toRequest(step, side))
        if ('failure' in exchange) return `the service ${exchange.failure}`
        const isGone = exchange.status < 300 || [404, 410].includes(exchange.status)
        return isGone ? undefined : `the service answers ${exchange.status}`
      } catch (error) {
        if (!(error instanceof RunError)) throw error
        return clauseOf(error)
      }
    }
    if (this.doubleId !== undefined) await removeFrom(double, this.doubleId)
    const reason = this.serviceId === undefined ? undefined : await removeFrom(service, this.serviceId)
    const name = remove.collection?.name ?? ''
    if (this.#isUnanswered)
      return `${create?.operation.id ?? ''} got no response, so a record of ${name} may be left behind.`
    return reason === undefined
      ? undefined
      : `The record ${this.serviceId ?? ''} of ${name}, which this run created, was not removed: ${reason}.`
  }
}

function propertiesOf(body: string): readonly string[] {
  try {
    const value = JSON.parse(body) as Json
    return isObject(value) ? Object.keys(value) : []
  } catch {
    return []
  }
}
