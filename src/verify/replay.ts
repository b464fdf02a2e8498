/** Gives the answers of a run once more. Tries edits of the contract in this way. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { writeOverlay } from '../contract/write-overlay.js'
import { groupBy, type JsonObject, listOf, objectOf } from '../documents/object.js'
import { ProblemsError } from '../documents/problem.js'
import type { FixtureDocument } from '../index.js'
import type { PulledState } from '../pull/pull.js'
import { RunError } from '../pull/service-client.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { readDocument } from '../resources/document/read.js'
import { idOf } from '../resources/infer/id-property.js'
import { checkRecord } from '../resources/infer/record-model.js'
import { loadService, type Service } from '../resources/load-service.js'
import type { Edit } from './edit.js'
import { differenceKey } from './edits.js'
import { evaluateProbes, type FoundDifference, type ProbeResult, type ProbeRun } from './evaluate-probes.js'
import { createProbeContext, type ProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import { type Answer, type AnswerSource, runProbes, type SentProbe, withContractFile } from './run-probes.js'

/** Answers probes as they were answered before: an equal request of a probe, in its order. */
export function recordedAnswers(sent: readonly SentProbe[]): AnswerSource {
  const known = new Map(sent.map((each) => [each.probe.name, each]))
  return {
    refusal: ({ name }) => (known.get(name)?.answers.length === 0 ? known.get(name)?.stopped : undefined),
    askFor: ({ name }) => {
      const { answers = [], stopped = 'it was not asked this' } = known.get(name) ?? {}
      const left = [...answers]
      return async ({ body, method, target }) => {
        const isEqual = ({ request }: Answer): boolean =>
          request.method === method && request.target === target && request.body === body
        const at = left.findIndex(isEqual)
        const [answer] = at === -1 ? [] : left.splice(at, 1)
        if (!answer) throw new RunError(stopped)
        return answer.service
      }
    },
    stateAfter: async ({ probe }) => known.get(probe.name)?.copied,
  }
}

/** Returns a probe whose steps have the operations of another load of the contract. */
function inContract(probe: Probe, { all }: ProbeContext): Probe {
  const moved = (step: ProbeStep): ProbeStep => ({
    ...step,
    probed: all.find(({ operation }) => operation.id === step.probed?.operation.id),
    ...(step.removal ? { removal: moved(step.removal) } : {}),
  })
  return { ...probe, steps: probe.steps.map(moved) }
}

type KeyOf = (result: ProbeResult, difference: FoundDifference) => string

const keysOf = (results: readonly ProbeResult[], keyOf: KeyOf): readonly string[] =>
  results.flatMap((result) => result.differences.map((each) => keyOf(result, each)))

/** Groups equal differences of an operation, so that they can be counted. */
const groupByKind = (results: readonly ProbeResult[]): ReadonlyMap<string, readonly string[]> =>
  groupBy(keysOf(results, operationKey), (key) => key)

const operationKey: KeyOf = ({ probe }, each) => differenceKey(probe.operation ?? '', each)

const stepKey: KeyOf = ({ probe, steps }, { at }) => `${probe.name} ${steps.findIndex(({ step }) => step === at.step)}`

const ownKey: KeyOf = (...found) => `${stepKey(...found)} ${operationKey(...found)}`

/** Returns a state of the service with the properties that the pull has dropped, and that this contract has. */
function fixtureFor({ resources }: Service, { listings }: PulledState, document: FixtureDocument | JsonObject) {
  const collections = resources.collections.map((collection) => {
    const { model, name } = collection
    const own = listings.filter(({ source }) => source.collection.name === name)
    const records = listOf((document as JsonObject)[name]).map((record) => {
      const id = JSON.stringify(idOf(model, objectOf(record)))
      const sent = Object.entries(own.find((each) => each.records.has(id))?.records.get(id) ?? {})
      const known = sent.filter(([key]) => storesUnknown(collection) || model.recordModel.properties.has(key))
      const whole = { ...Object.fromEntries(known), ...objectOf(record) }
      return checkRecord(model, whole).length > 0 ? record : whole
    })
    return [name, records] as const
  })
  return { ...document, ...Object.fromEntries(collections) } as FixtureDocument
}

/** Why an edit is not kept: the difference stays, the contract is not valid, or another difference appears. */
export type EditFailure = 'idle' | 'invalid' | { readonly probe: string; readonly what: string }

/**
 * Tries edits of the contract together, then without those that remove no difference, then without those of an operation that has a new
 * difference. Of these, one half for each such operation is tried, and then the other. @param onProgress - Called with a line now and then:
 * each trial sends all probes. @param limitReached - The limit after which no edit is tried, as a clause. @returns `good`: those that bring no
 * new difference. `failures`: of the others that were tried.
 */
export async function tryEdits(
  run: ProbeRun,
  edits: readonly Edit[],
  onProgress: (line: string) => void,
  limitReached: () => string | undefined,
): Promise<{ good: readonly Edit[]; failures: ReadonlyMap<Edit, EditFailure> }> {
  const { context, handlers, noise, sent } = run
  const { callers, contract, permissions, pulled } = context
  const differing = evaluateProbes(run)
  const before = groupByKind(differing)
  // A wrong status and a broken schema hide other differences of a response, so these are not new.
  const hides = ({ part }: FoundDifference): boolean => part === 'status' || part === 'schema'
  const known = new Set(keysOf(differing, (result, each) => (hides(each) ? stepKey : ownKey)(result, each)))
  /** Sends all probes to a double of an edited contract. */
  const replay = async (service: Service, tried: readonly Edit[]) => {
    const edited = createProbeContext({ service, pulled, callers, permissions })
    const probes = sent.map(({ probe }) => inContract(probe, edited))
    const fixture = fixtureFor(service, pulled, pulled.document)
    const copied = sent.map((each) => ({ ...each, copied: each.copied && fixtureFor(service, pulled, each.copied) }))
    const states = [fixture, ...copied.flatMap((each) => each.copied ?? [])]
    if (states.some((state) => 'problems' in readDocument(state, service.resources))) return undefined
    const again = await runProbes(probes, recordedAnswers(copied), service.contract, { handlers, fixture })
    const results = evaluateProbes({ context: edited, noise, sent: again })
    const after = new Set(keysOf(results, ({ probe }, each) => differenceKey(probe.name, each)))
    const counts = groupByKind(results)
    const isMore = (key: string): boolean => (counts.get(key)?.length ?? 0) > (before.get(key)?.length ?? 0)
    const findNew = (result: ProbeResult): FoundDifference | undefined =>
      result.differences.find(
        (each) =>
          isMore(operationKey(result, each)) && ![stepKey, ownKey].some((keyOf) => known.has(keyOf(result, each))),
      )
    return {
      idle: new Set(tried.filter(({ fixes }) => fixes.every((key) => after.has(key)))),
      /** A probe of each operation that has a new difference. */
      worse: new Map(
        results.flatMap((result) => {
          const found = findNew(result)
          return found ? [[result.probe.operation ?? '', { probe: result.probe.name, what: found.what }] as const] : []
        }),
      ),
    }
  }
  /** Returns the edits that remove no difference, and the operations with a new one. Undefined: the contract or a state is not valid. */
  const attempt = (tried: readonly Edit[]) =>
    withContractFile(contract, async (spec) => {
      const overlay = join(spec, '..', 'edits.json')
      const actions = tried.flatMap((edit) => edit.actions)
      await writeFile(overlay, writeOverlay(overlay, 'Edits', actions))
      try {
        return await replay(await loadService(spec, { overlay }), tried)
      } catch (error) {
        if (error instanceof ProblemsError) return undefined
        throw error
      }
    })
  const operations = new Map(
    differing.flatMap(({ differences, probe: { name, operation = '' } }) =>
      differences.map((each) => [differenceKey(name, each), operation]),
    ),
  )
  const good: Edit[] = []
  const failures = new Map<Edit, EditFailure>()
  let found = -1
  let trials = 0
  // An edit may need another one that comes later.
  while (found < good.length) {
    found = good.length
    const left = edits.filter((edit) => !good.includes(edit))
    const isFirst = ({ part }: Edit): boolean => part === 'schema'
    const queue: (readonly Edit[])[] = [left.filter(isFirst), left.filter((edit) => !isFirst(edit))]
    for (let group = queue.shift(); group; group = queue.shift()) {
      if (group.length === 0) continue
      const limit = limitReached()
      if (limit !== undefined) {
        onProgress(`${good.length} of ${edits.length} edits are kept, and no other was tried: ${limit}`)
        return { good, failures }
      }
      if (trials++ % 10 === 9) onProgress(`${good.length} of ${edits.length} edits are kept, after ${trials} trials`)
      const { idle, worse } = (await attempt([...good, ...group])) ?? {}
      const unhelpful = group.filter((edit) => idle?.has(edit))
      if (unhelpful.length > 0) {
        for (const each of unhelpful) failures.set(each, 'idle')
        queue.unshift(group.filter((edit) => !unhelpful.includes(edit)))
      } else if (worse?.size === 0) good.push(...group)
      else {
        const suspectOf = (edit: Edit): string | undefined =>
          edit.fixes.map((key) => operations.get(key) ?? '').find((name) => worse?.has(name))
        const parts = splitSuspects(group, suspectOf)
        const [first] = worse?.values() ?? []
        if (parts) queue.unshift(...parts)
        else for (const each of group) failures.set(each, worse?.get(suspectOf(each) ?? '') ?? first ?? 'invalid')
      }
    }
  }
  return { good, failures }
}

const noSuspect = ''

/**
 * Splits edits that do not go together into groups to try. @param suspectOf - Returns the operation that makes an edit suspect, if any.
 * @returns Undefined: each of them is the only suspect of its operation.
 */
function splitSuspects(group: readonly Edit[], suspectOf: (edit: Edit) => string | undefined) {
  const { [noSuspect]: others = [], ...suspects } = Object.fromEntries(
    groupBy(group, (edit) => suspectOf(edit) ?? noSuspect),
  )
  const sets = Object.keys(suspects).length === 0 ? [others] : Object.values(suspects)
  const halfOf = (set: readonly Edit[]): number => Math.ceil(set.length / 2)
  const first = sets.flatMap((set) => set.slice(0, halfOf(set)))
  const second = sets.flatMap((set) => set.slice(halfOf(set)))
  if (first.length === group.length) return undefined
  return [sets.includes(others) ? [] : others, first, second]
}
