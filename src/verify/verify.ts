/** Verifies that the double behaves like a real service: sends the same requests to both, and compares the responses. */
import { randomBytes } from 'node:crypto'

import type { Operation } from '../contract/contract.js'
import type { DoubleOptions, FixtureDocument, JournalEntry } from '../index.js'
import { nearestName } from '../nearest-name.js'
import { type PulledState, pullState, type RealCaller } from '../pull/pull.js'
import { groupLeftOut } from '../pull/pulled-records.js'
import type { GivenValues } from '../pull/requests.js'
import { isSuccess, RunError, type ServiceClient } from '../pull/service-client.js'
import type { Service } from '../resources/load-service.js'
import { createNoise } from './differences.js'
import type { AssumptionResult, ProbeResult, ProbeRun } from './evaluate-probes.js'
import { evaluateAssumptions, evaluateProbe, evaluateProbes, findUnstable } from './evaluate-probes.js'
import { createEvidence, type Evidence, type EvidenceFiles, readEvidence } from './evidence.js'
import type { GivenRequest } from './given-requests.js'
import { checkIds, parsePermissions } from './permissions.js'
import { createProbeContext, type ProbeContext, type ProbeKind } from './probe-context.js'
import { mayChange, type Probe, type ProbedOperation } from './probe.js'
import * as bodyProbes from './probes/bodies.js'
import { givenProbes } from './probes/given.js'
import * as listingProbes from './probes/listings.js'
import * as recordProbes from './probes/records.js'
import * as checkProbes from './probes/request-checks.js'
import { recordedAnswers } from './replay.js'
import { type AnswerSource, type Ask, runProbes, toRequest } from './run-probes.js'

/** The probes of a contract in the order in which they are sent. Those that may change the service come last. */
function contractProbes(context: ProbeContext): readonly Probe[] {
  const probesOf = (...kinds: readonly ProbeKind[]): readonly Probe[] =>
    kinds.flatMap((kind) => context.operations.flatMap((probed) => kind(probed, context)))
  return [
    ...context.all.flatMap(recordProbes.notAsked),
    ...probesOf(listingProbes.listingsByCaller, listingProbes.parameterValues, listingProbes.undocumentedParameters),
    ...probesOf(checkProbes.credentials),
    ...checkProbes.orderOfChecks(context),
    ...checkProbes.pathsAndMethods(context),
    ...probesOf(listingProbes.acceptHeaders, bodyProbes.unexpectedBodies, recordProbes.itemIds),
    ...probesOf(recordProbes.unknownIds, recordProbes.creations, bodyProbes.mockedChanges, bodyProbes.otherBodies),
    ...probesOf(recordProbes.leastCreations, recordProbes.recordChanges, bodyProbes.otherChanges),
    ...probesOf(bodyProbes.mockedRemovals, recordProbes.recordRemovals, recordProbes.unknownParents),
  ]
}

interface ProbeSelection {
  readonly service: Service
  readonly callers: readonly RealCaller[]
  readonly may?: readonly string[]
  /** The name of the only probe, or the only operation, to verify. Default: all. */
  readonly only?: string | undefined
  readonly values?: GivenValues | undefined
  /** As those of a pull. */
  readonly otherValues?: readonly GivenValues[] | undefined
  /** The requests to compare. Default: those that the contract suggests. */
  readonly from?: readonly GivenRequest[] | undefined
}

export interface VerifyOptions extends ProbeSelection {
  readonly client: ServiceClient
  readonly handlers?: DoubleOptions['handlers']
  /** The most requests of probes. Default 300. */
  readonly maxRequests?: number | undefined
  /** A part of made-up ids: 8 hexadecimal digits. Default: random. */
  readonly nonce?: string | undefined
  readonly onProgress?: ((line: string) => void) | undefined
}

export interface Verification extends ProbeRun {
  readonly url: string
  /** RFC 3339. */
  readonly startedAt: string
  readonly results: readonly ProbeResult[]
  readonly assumptions: readonly AssumptionResult[]
  /** Noise, and parts that the pull left out, in sentences. */
  readonly notes: readonly string[]
  /** Number of requests to the service, listings included. */
  readonly requests: number
}

/** Evaluates a run. @param judge - Changes a result that the two responses alone do not decide. */
function conclude(run: Omit<Verification, 'assumptions' | 'results'>, judge: (result: ProbeResult) => ProbeResult) {
  const results = evaluateProbes(run).map(judge)
  return { ...run, results, assumptions: evaluateAssumptions(run.context.contract, results) }
}

const uncheckable = (result: ProbeResult, reason: string): ProbeResult => {
  return { ...result, outcome: 'could not check', reason, differences: [] }
}

/** Verifies a service. @throws {RunError} The run could not start, or the state of the service could not be read. */
export async function verifyService(options: VerifyOptions): Promise<Verification> {
  const { callers, client, from, handlers, maxRequests = 300, may = [], onProgress, only, service } = options
  const { otherValues, values } = options
  const { nonce = randomBytes(4).toString('hex') } = options
  const startedAt = new Date().toISOString()
  const permissions = parsePermissions(may, service)
  checkContract(service)
  const pull = async (listsOnly: boolean, say?: (line: string) => void): Promise<PulledState> => {
    const state = await pullState({ callers, client, service, values, otherValues, listsOnly, onProgress: say })
    client.checkLimits()
    return state
  }
  const pulled = await pull(false, onProgress)
  checkIds(permissions, service, pulled)
  const context = createProbeContext({
    service,
    pulled,
    callers: callers.map(({ name }) => name),
    permissions,
    nonce,
    given: values,
    fixedHeaders: client.headerNames,
  })
  const probes = findProbes(context, from, only)
  const noise = createNoise()
  noise.addPulls(pulled, await pull(true), false)
  const tokenOf = (name: string): string => callers.find((each) => each.name === name)?.token ?? ''
  const ask: Ask = (step, id) => client.send(toRequest(step, tokenOf, id))
  /** The creations of collections with a record that could not be removed. They create no further one. */
  const unremovable = new Set<ProbedOperation>()
  const creationsOf = ({ steps }: Probe): readonly ProbedOperation[] =>
    steps.flatMap(({ isCreation, probed }) => (isCreation && probed?.collection ? [probed] : []))
  const source: AnswerSource = {
    askFor: () => (_asStandIn, step, id) => ask(step, id),
    refusal: (probe, requests) => {
      if (creationsOf(probe).some((each) => unremovable.has(each)))
        return 'a record that it has created could not be removed'
      const isBeyond = requests + probe.steps.length > maxRequests
      return isBeyond ? `it is beyond the limit of ${maxRequests} requests (--max-requests)` : undefined
    },
    stateAfter: async (sent, count) => {
      if (sent.leftBehind !== undefined) for (const each of creationsOf(sent.probe)) unremovable.add(each)
      if (client.isEnded) throw new RunError(sent.stopped ?? '')
      if (count % 20 === 0) onProgress?.(`${count} of ${probes.length} probes`)
      const isDifferent = mayChange(sent.probe.steps) && evaluateProbe(sent, context, noise).outcome === 'differs'
      return isDifferent ? ((await pull(false)).document as FixtureDocument) : undefined
    },
  }
  const fixture = pulled.document as FixtureDocument
  const sent = await runProbes(probes, source, service.contract, { handlers, fixture })
  const isChanged = mayChange(sent.flatMap(({ steps }) => steps.map(({ step }) => step)))
  const unread = await readAgain(client, async () => noise.addPulls(pulled, await pull(true), isChanged))
  const unstable = await findUnstable(
    evaluateProbes({ context, noise, sent }),
    client,
    ask,
    noise,
    maxRequests,
    isChanged,
  )
  const left = new Set(sent.flatMap(({ leftBehind = [] }) => leftBehind))
  const accepting = new Set(
    sent.flatMap(({ probe: { operation }, steps }) =>
      steps.some(({ service: answer, step }) => step.body !== undefined && isSuccess(answer)) ? operation : [],
    ),
  )
  const refused = sent.flatMap(({ probe: { name, operation = '' }, steps: [first] }) => {
    const isTried = name === `${operation}:creates` || name === `${operation}:sends`
    return isTried && first && !isSuccess(first.service) && !accepting.has(operation)
      ? [`${operation} refuses each body that was tried; --value <property>=<value> gives a part of another.`]
      : []
  })
  const isProbed = (id: string): boolean => only !== undefined || probes.some(({ operation }) => operation === id)
  const unprobed = [...permissions.keys()].flatMap((id) =>
    isProbed(id) ? [] : `${id} is permitted, but no probe of it is known.`,
  )
  const notes = [...notesOf(pulled), ...unprobed, ...noise.describe(), ...unread, ...refused, ...left]
  const run = { startedAt, context, handlers, noise, sent, url: client.url, notes, requests: client.sent }
  return conclude(run, (result) => {
    const isUnstable = result.differences.length > 0 && result.differences.every(({ at }) => unstable.has(at.step))
    return isUnstable ? uncheckable(result, 'the service answers the same request in different ways') : result
  })
}

/** Lists the probes of a contract for an empty state, without sending anything. */
export function planVerification({ callers, from, may = [], only, service, values }: ProbeSelection): readonly Probe[] {
  checkContract(service)
  const empty = { document: {}, leftOut: [], dropped: [], cut: [], notes: [], listings: [] }
  const names = callers.map(({ name }) => name)
  const permissions = parsePermissions(may, service)
  const context = createProbeContext({ service, pulled: empty, callers: names, permissions, given: values })
  return findProbes(context, from, only)
}

function checkContract({ contract }: Service): void {
  if (!contract.operations.some(({ method }) => method === 'GET'))
    throw new RunError('The contract has nothing to verify: none of its operations is a GET.')
}

/** @throws {RunError} None of the given requests is one of the contract, or `only` names none. */
function findProbes(context: ProbeContext, from: readonly GivenRequest[] | undefined, only: string | undefined) {
  const probes = from ? givenProbes(context, from) : contractProbes(context)
  if (from && probes.length === 0)
    throw new RunError(`--from: none of the ${from.length} requests is to an operation of the contract.`)
  if (only === undefined) return probes
  const selected = probes.filter(({ name, operation }) => name === only || operation === only)
  if (selected.length > 0) return selected
  const known = new Set(probes.flatMap(({ name, operation = name }) => [name, operation]))
  const near = nearestName(only, [...known], 5)
  const correction = near === undefined ? '--plan lists them.' : `did you mean ${near}?`
  throw new RunError(`--only: there is no probe or operation "${only}"; ${correction}`)
}

/** Reads the state once more, to find noise. @returns The notes for the report if that is not possible, in sentences. */
async function readAgain({ isEnded }: ServiceClient, read: () => Promise<void>): Promise<readonly string[]> {
  const unread =
    'The state was not read again after the probes, so a value that changes by itself may be shown as a difference'
  if (isEnded) return [`${unread}.`]
  const noteOf = (error: unknown): readonly string[] => {
    if (!(error instanceof RunError)) throw error
    return [`${unread}: ${error.message}`]
  }
  return read().then(() => [], noteOf)
}

/** Compares a double with what was recorded of a service. Sends that nothing. @param handlers - Those of the double. Default: none. */
export async function verifyEvidence(evidence: Evidence, { contract }: Service, handlers?: DoubleOptions['handlers']) {
  const { context, noise, sent: recorded, url, verdicts } = evidence
  const startedAt = new Date().toISOString()
  const probes = recorded.map(({ probe }) => probe)
  const fixture = context.pulled.document as FixtureDocument
  const sent = await runProbes(probes, recordedAnswers(recorded), contract, { handlers, fixture })
  const requests = recorded.reduce((sum, { answers }) => sum + answers.length, 0)
  const run = { startedAt, context, handlers, noise, sent, url, notes: noise.describe(), requests }
  return conclude(run, (result) => {
    const verdict = verdicts.get(result.probe.name)
    if (verdict === undefined) return result
    if (verdict === 'agrees') return { ...result, outcome: verdict, differences: [], agreed: [] }
    return uncheckable(result, 'it differed when it was recorded, and the values that it compares are replaced')
  })
}

/**
 * Creates the evidence of a verification. Replays it, to keep the results that the replaced values would change.
 * @throws {RunError} The service has changed in the meantime.
 */
export async function recordEvidence(verification: Verification, service: Service, isSanitised: boolean) {
  const [changed] = verification.noise.changed
  const what = 'gained or lost records while it was recorded. Record it again.'
  if (changed !== undefined) throw new RunError(`--record writes nothing: ${changed} ${what}`)
  const create = (verdicts?: ReadonlyMap<string, string>): EvidenceFiles =>
    createEvidence(verification, service, isSanitised, verdicts)
  const replayed = await verifyEvidence(readEvidence(create(), '', service), service, verification.handlers)
  const outcomes = new Map(replayed.results.map(({ outcome, probe }) => [probe.name, outcome]))
  const lost = verification.results.filter(({ outcome, probe }) => outcomes.get(probe.name) !== outcome)
  return create(new Map(lost.map(({ outcome, probe }) => [probe.name, outcome])))
}

const notesOf = ({ cut, dropped, leftOut, notes }: PulledState): readonly string[] => [
  ...notes,
  ...cut,
  ...(dropped.length > 0
    ? [`The contract does not have these properties, or refuses their values: ${dropped.join(', ')}.`]
    : []),
  ...groupLeftOut(leftOut).map(
    ({ collection, reason, records }) => `${collection}: ${records} cannot be compared, because ${reason}.`,
  ),
]

type Found = NonNullable<JournalEntry['evidence']>

/**
 * Creates a function that finds what a response rests on: the answers of the double to the requests of evidence, of the same operation and with
 * the same status. Those to an equal query count first, and all must agree; then those with parameters of the same names, and one must agree.
 */
export function createEvidenceOf({ results }: Verification) {
  const seen = new Map<string, Found>()
  for (const { differences, outcome, steps } of results) {
    if (outcome === 'could not check') continue
    const differing = new Set(differences.map(({ at }) => at.step))
    for (const { double, service, step } of steps) {
      if (!step.probed || 'failure' in double || 'failure' in service) continue
      const { query, shape } = keysOf(step.probed.operation, double.status, step.target)
      const evidence = differing.has(step) ? 'differs' : 'agrees'
      if (seen.get(query) !== 'differs') seen.set(query, evidence)
      if (seen.get(shape) !== 'agrees') seen.set(shape, evidence)
    }
  }
  return (operation: Operation, status: number, target: string): Found => {
    const { query, shape } = keysOf(operation, status, target)
    // Without a query, requests differ in other parts.
    return (query.endsWith('?') ? undefined : seen.get(query)) ?? seen.get(shape) ?? 'none'
  }
}

function keysOf({ credentialPlaces, id }: Operation, status: number, target: string) {
  const query = new URLSearchParams(target.split('?')[1])
  for (const { name } of credentialPlaces) query.delete(name)
  query.sort()
  return { query: `${id} ${status}?${query.toString()}`, shape: `${id} ${status} ${[...query.keys()].join('&')}` }
}
