/** Verifies that the double behaves like a real service: sends the same requests to both, and compares the responses. */
import { randomBytes } from 'node:crypto'

import type { FixtureDocument } from '../control/document-types.js'
import { startInThisThread } from '../double/start-in-this-thread.js'
import { nearestName } from '../nearest-name.js'
import { standInToken } from '../pull/place-token.js'
import type { PulledState, RealCaller } from '../pull/pull.js'
import { pullState } from '../pull/pull.js'
import { RunError } from '../pull/run-error.js'
import type { ServiceClient } from '../pull/service-client.js'
import { createServiceClient } from '../pull/service-client.js'
import type { Service } from '../resources/load-service.js'
import { attributeToFirstProbe } from './attribute-to-first-probe.js'
import type { AssumptionResult, ProbeResult } from './evaluate-probes.js'
import { confirmDifferences, evaluateAssumptions, evaluateProbe } from './evaluate-probes.js'
import { Noise } from './find-changing-values.js'
import { findLowerMaxima } from './find-lower-maxima.js'
import { checkIds, parsePermissions } from './permissions.js'
import type { ProbeContext } from './probe-context.js'
import { createProbeContext } from './probe-context.js'
import type { Probe } from './probe.js'
import { isSafe } from './probe.js'
import { findProbes } from './probes/probes.js'
import type { ComparedService, SentProbe } from './run-probes.js'
import { clauseOf, sendProbe } from './run-probes.js'
import { bodyCursor, responseCursor, responsePath } from './spec-places.js'

/** The default of `maxRequests`. */
const defaultMaxRequests = 300

/** The options of a verification. */
export interface VerifyOptions {
  readonly service: Service
  /** The overlay that the service was loaded with. Default: none. */
  readonly overlay?: string | undefined
  readonly client: ServiceClient
  readonly callers: readonly RealCaller[]
  /** The values of `--may`. Default: none. */
  readonly may?: readonly string[]
  /** The name of the only probe, or the only operation, to verify. Default: all. */
  readonly only?: string | undefined
  /** The most requests of probes. Default 300. */
  readonly maxRequests?: number | undefined
  /** A part of made-up ids: 8 hexadecimal digits. Default: random. */
  readonly nonce?: string | undefined
  /** Called with each line of progress. */
  readonly onProgress?: ((line: string) => void) | undefined
}

/** The result of a verification. */
export interface Verification {
  readonly url: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly context: ProbeContext
  readonly results: readonly ProbeResult[]
  readonly assumptions: readonly AssumptionResult[]
  /** The largest accepted value of a parameter, by the name of the probe in which the service refused its maximum. */
  readonly maxima: ReadonlyMap<string, number>
  /** Noise, and parts that the pull left out, in sentences. */
  readonly notes: readonly string[]
  /** Number of requests to the service, listings included. */
  readonly requests: number
}

/** Verifies a service. @throws {RunError} The run could not start, or the state of the service could not be read. */
export async function verifyService(options: VerifyOptions): Promise<Verification> {
  const { callers, client, onProgress, service } = options
  const startedAt = new Date().toISOString()
  const permissions = parsePermissions(options.may ?? [], service)
  checkContract(service)
  const pull = async (say?: (line: string) => void): Promise<PulledState> => {
    const state = await pullState({ callers, client, service, onProgress: say })
    client.checkLimits()
    return state
  }
  const pulled = await pull(onProgress)
  checkIds(permissions, service, pulled)
  const names = callers.map(({ name }) => name)
  const nonce = options.nonce ?? randomBytes(4).toString('hex')
  const context = createProbeContext(service, pulled, names, permissions, nonce)
  const probes = selectProbes(findProbes(context), options.only)
  const double = await startInThisThread({
    spec: service.contract.file,
    overlay: options.overlay,
    fixture: pulled.document as FixtureDocument,
  })
  try {
    const noise = new Noise()
    const real: ComparedService = { client, tokenOf: (name) => callers.find((each) => each.name === name)?.token ?? '' }
    const ours: ComparedService = {
      client: createServiceClient({ url: double.url, timeoutMs: 60_000 }),
      tokenOf: (name) => standInToken(service.contract, name),
    }
    noise.addPulls(pulled, await pull(), false)
    const sent = await sendProbes(probes, real, ours, context, noise, options, pull)
    const isChanged = sent.some(({ steps }) => steps.some(({ step }) => !isSafe(step.method)))
    const unread = await readAgain(client, pull, (again) => noise.addPulls(pulled, again, isChanged))
    const evaluate = (): readonly ProbeResult[] =>
      attributeToFirstProbe([
        ...orderProbes(context, noise),
        ...sent.map((each) => evaluateProbe(each, context, noise)),
      ])
    const sentBefore = client.sent
    const maxRepeated = options.maxRequests ?? defaultMaxRequests
    const unstable = await confirmDifferences(
      evaluate(),
      client,
      noise,
      () => !client.isEnded && client.sent - sentBefore < maxRepeated,
    )
    const results = evaluate().map((result): ProbeResult => {
      const isUnstable = result.differences.length > 0 && result.differences.every(({ at }) => unstable.has(at))
      if (!isUnstable) return result
      const reason = 'the service answers the same request in different ways'
      return { ...result, outcome: 'could not check', reason, differences: [] }
    })
    const maxima = await findLowerMaxima(results, real)
    return {
      url: client.url,
      startedAt,
      context,
      results,
      assumptions: evaluateAssumptions(context, results),
      maxima,
      notes: [
        ...notesOf(pulled),
        ...noise.describe(),
        ...unread,
        ...sent.flatMap(({ leftBehind }) => leftBehind ?? []),
      ],
      requests: client.sent,
    }
  } finally {
    await double.stop()
  }
}

/** Reads the state once more, to find noise. @returns The notes for the report if that is not possible, in sentences. */
async function readAgain(
  { isEnded }: ServiceClient,
  pull: () => Promise<PulledState>,
  use: (pulled: PulledState) => void,
): Promise<readonly string[]> {
  const unread =
    'The state was not read again after the probes, so a value that changes by itself may be shown as a difference'
  if (isEnded) return [`${unread}.`]
  try {
    use(await pull())
    return []
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    return [`${unread}: ${error.message}`]
  }
}

/** Lists the probes of a contract for an empty state, without sending anything. */
export function planVerification({
  callers,
  may = [],
  only,
  service,
}: Pick<VerifyOptions, 'callers' | 'may' | 'only' | 'service'>): readonly Probe[] {
  checkContract(service)
  const empty = { document: {}, leftOut: [], dropped: [], cut: [], notes: [], listings: [] }
  const names = callers.map(({ name }) => name)
  return selectProbes(
    findProbes(createProbeContext(service, empty, names, parsePermissions(may, service), '00000000')),
    only,
  )
}

function checkContract({ contract }: Service): void {
  if (!contract.operations.some(({ method }) => method === 'GET'))
    throw new RunError('The contract has nothing to verify: none of its operations is a GET.')
}

function selectProbes(probes: readonly Probe[], only: string | undefined): readonly Probe[] {
  if (only === undefined) return probes
  const selected = probes.filter(({ name, operation }) => name === only || operation === only)
  if (selected.length > 0) return selected
  const known = [
    ...new Set(probes.flatMap(({ name, operation }) => [name, ...(operation === undefined ? [] : [operation])])),
  ]
  const near = nearestName(only, known, 5)
  throw new RunError(
    `--only: there is no probe or operation "${only}"${near === undefined ? '; --plan lists them' : `; did you mean ${near}?`}${near === undefined ? '.' : ''}`,
  )
}

async function sendProbes(
  probes: readonly Probe[],
  real: ComparedService,
  ours: ComparedService,
  context: ProbeContext,
  noise: Noise,
  { maxRequests = defaultMaxRequests, onProgress }: VerifyOptions,
  pull: () => Promise<PulledState>,
): Promise<readonly SentProbe[]> {
  const sent: SentProbe[] = []
  let requests = 0
  let ended: string | undefined
  const nothing = {
    steps: [],
    creation: { doubleId: undefined, serviceId: undefined, sent: new Set<string>() },
    leftBehind: undefined,
  }
  for (const [index, probe] of probes.entries()) {
    const isBeyond = requests + probe.steps.length > maxRequests
    const stopped =
      ended ?? (isBeyond ? `it is beyond the limit of ${maxRequests} requests (--max-requests)` : undefined)
    if (stopped !== undefined || probe.steps.length === 0) {
      sent.push({ probe, ...nothing, stopped })
      continue
    }
    try {
      const result = await sendProbe(probe, real, ours, context)
      requests += result.steps.length
      sent.push(result)
      if (real.client.isEnded) ended = result.stopped
      else if (changes(probe) && evaluateProbe(result, context, noise).outcome === 'differs')
        await copyState(ours, await pull())
    } catch (error) {
      if (!(error instanceof RunError)) throw error
      ended = clauseOf(error)
    }
    if ((index + 1) % 20 === 0) onProgress?.(`${index + 1} of ${probes.length} probes`)
  }
  return sent
}

const changes = ({ steps }: Probe): boolean => steps.some(({ method }) => !isSafe(method))

/** Copies the state of the service into the private double again, after a probe that changed the two differently. */
async function copyState({ client }: ComparedService, pulled: PulledState): Promise<void> {
  const exchange = await client.send({
    method: 'PUT',
    target: '/__admin/state',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(pulled.document),
  })
  if ('failure' in exchange || exchange.status >= 300)
    throw new RunError('The state of the service could not be copied again.')
}

/** Creates the probes of the order of listings. The double has a copy of the order, so it differs only if it is noise. */
function orderProbes({ contract, operations }: ProbeContext, noise: Noise): readonly ProbeResult[] {
  return operations.flatMap(({ collection, credential, decision, operation, path, query }) => {
    if (decision.role !== 'list' || !collection || !noise.unordered.has(collection.name)) return []
    const schema = bodyCursor(responseCursor(contract, operation, operation.successStatus), 'application/json')
    const tests = schema?.path ?? responsePath(contract, operation, operation.successStatus)
    const target = query === '' ? path : `${path}?${query}`
    const step = { method: 'GET', target, operation, credential, tests }
    const probe: Probe = {
      name: `${operation.id}:stable-order`,
      title: 'equal reads have the same order',
      operation: operation.id,
      steps: [step],
    }
    const exchange = { status: 200, headers: {}, text: '', mediaType: '', json: undefined }
    const at = { step, request: { method: 'GET', target, headers: {} }, double: exchange, service: exchange }
    const what = 'the order of the service changes between equal reads, but the order of the double does not'
    return [
      {
        probe,
        outcome: 'differs' as const,
        reason: undefined,
        differences: [{ part: 'order' as const, what, place: tests, path: [], at }],
        steps: [],
        agreed: [],
      },
    ]
  })
}

function notesOf({ cut, dropped, leftOut, notes }: PulledState): readonly string[] {
  return [
    ...notes,
    ...cut,
    ...(dropped.length > 0 ? [`The contract does not have these properties: ${dropped.join(', ')}.`] : []),
    ...leftOut.map(
      ({ collection, id, reason }) =>
        `${collection}: ${id ?? 'a record without an id'} is not compared, because ${reason}.`,
    ),
  ]
}
