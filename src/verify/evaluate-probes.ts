/** Evaluates sent probes: finds their differences, and the assumptions that they support or refute. */
import { RunError } from '../pull/run-error.js'
import type { ServiceClient } from '../pull/service-client.js'
import { compareResponses } from './compare-responses.js'
import type { Comparison, Difference } from './differences.js'
import type { Noise } from './find-changing-values.js'
import type { ProbeContext } from './probe-context.js'
import type { Probe } from './probe.js'
import { isSafe } from './probe.js'
import type { ProbedStep, SentProbe } from './run-probes.js'
import type { Assumption, SpecPath } from './spec-places.js'
import { assumptionAt, listAssumptions } from './spec-places.js'

/** A difference, with the request that shows it. */
export interface FoundDifference extends Difference {
  readonly at: ProbedStep
}

/** The result of a probe. */
export interface ProbeResult {
  readonly probe: Probe
  readonly outcome: 'agrees' | 'differs' | 'could not check'
  /** The reason why it could not be checked, as a clause. */
  readonly reason: string | undefined
  readonly differences: readonly FoundDifference[]
  /** The requests that were sent. */
  readonly steps: readonly ProbedStep[]
  /** The places of the spec that were tested and agree. */
  readonly agreed: readonly SpecPath[]
}

/** The result of a run for an assumption. */
export interface AssumptionResult extends Assumption {
  readonly outcome: 'refuted' | 'supported' | 'open'
  /** The names of the probes that show it. */
  readonly probes: readonly string[]
}

/** Evaluates a probe. */
export function evaluateProbe(
  { creation, probe, steps, stopped }: SentProbe,
  context: ProbeContext,
  noise: Noise,
): ProbeResult {
  const differences: FoundDifference[] = []
  const agreed: SpecPath[] = []
  let changed: string | undefined
  for (const at of steps) {
    const { double, service, step } = at
    if (step.compares === 'nothing' || 'failure' in double || 'failure' in service) continue
    const probed = context.operations.find(({ operation }) => operation === step.operation)
    if (probed?.decision.role === 'list' && noise.changed.has(probed.collection?.name ?? '')) {
      changed = `${probed.collection?.name ?? ''} gained or lost records during the run`
      if (double.status === service.status) continue
    }
    const comparison: Comparison = compareResponses(
      step,
      double,
      service,
      { probes: context, noise: noise.patterns, unordered: noise.unordered },
      creation,
    )
    differences.push(...comparison.differences.map((difference) => ({ ...difference, at })))
    const differing = new Set(comparison.differences.map(({ place }) => JSON.stringify(place)))
    const isStatusEqual = comparison.differences.every(
      ({ part }) => part === 'schema' || part === 'body' || part === 'header',
    )
    if (isStatusEqual && step.isEvidence !== false) agreed.push(step.tests)
    agreed.push(...comparison.tested.filter((place) => !differing.has(JSON.stringify(place))))
  }
  const reason = probe.skipped ?? stopped ?? changed
  const outcome = differences.length > 0 ? 'differs' : reason === undefined ? 'agrees' : 'could not check'
  return { probe, outcome, reason, differences, steps, agreed }
}

/** Sends requests that showed differences again. A difference between the two responses of the service is noise. */
export async function confirmDifferences(
  results: readonly ProbeResult[],
  client: ServiceClient,
  noise: Noise,
  isWithinLimit: () => boolean,
): Promise<ReadonlySet<ProbedStep>> {
  const unstable = new Set<ProbedStep>()
  const asked = new Set<ProbedStep>()
  try {
    for (const { differences } of results)
      for (const { at } of differences) {
        const mayRepeat = isSafe(at.step.method) || at.step.isRepeatable === true
        if (asked.has(at) || !isWithinLimit() || !mayRepeat || 'failure' in at.service) continue
        asked.add(at)
        const again = await client.send(at.request)
        if ('failure' in again || again.status !== at.service.status) unstable.add(at)
        // The reads before and after the probes find the noise in listings.
        else if (again.json !== undefined && !Array.isArray(again.json))
          noise.addBodies(at.step.operation?.id ?? '', at.service.json, again.json)
      }
  } catch (error) {
    // The service ended the run. The differences are reported without confirmation.
    if (!(error instanceof RunError)) throw error
  }
  return unstable
}

/** The parts of a response that its documentation describes. The place of such a difference is there, whatever the request was about. */
const describedParts: ReadonlySet<Difference['part']> = new Set(['header', 'body', 'order', 'schema'])

/**
 * Finds the results that support or refute each assumption of the spec. The place of an assumption determines the probes: those whose steps
 * test it, and for a part of a response each probe that gets this response.
 */
export function evaluateAssumptions(
  { contract }: ProbeContext,
  results: readonly ProbeResult[],
): readonly AssumptionResult[] {
  const assumptions = listAssumptions(contract)
  const refuting = new Map<Assumption, Set<string>>()
  const supporting = new Map<Assumption, Set<string>>()
  const add = (to: Map<Assumption, Set<string>>, place: SpecPath, probe: string): void => {
    const found = assumptionAt(contract, assumptions, place)
    if (found) to.set(found, (to.get(found) ?? new Set()).add(probe))
  }
  for (const { agreed, differences, probe } of results) {
    const subjects = new Set(probe.steps.map(({ tests }) => assumptionAt(contract, assumptions, tests)))
    // A difference that an earlier probe shows too has the place of that probe.
    const isOwn = (place: SpecPath): boolean => subjects.has(assumptionAt(contract, assumptions, place))
    for (const { part, place } of differences)
      if (describedParts.has(part) || isOwn(place)) add(refuting, place, probe.name)
    for (const place of agreed) add(supporting, place, probe.name)
  }
  return assumptions.map((assumption) => {
    const against = refuting.get(assumption)
    const inFavour = supporting.get(assumption)
    const outcome = against ? 'refuted' : inFavour ? 'supported' : 'open'
    return { ...assumption, outcome, probes: [...(against ?? inFavour ?? [])] }
  })
}
