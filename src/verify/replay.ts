/** Gives the answers of a run once more. Tries edits of the contract in this way. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { listOf, objectOf } from '../documents/object.js'
import { ProblemsError } from '../documents/problem.js'
import type { FixtureDocument } from '../index.js'
import type { PulledState } from '../pull/pull.js'
import { RunError } from '../pull/service-client.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { idOf } from '../resources/infer/id-property.js'
import { loadService, type Service } from '../resources/load-service.js'
import type { Noise } from './differences.js'
import { differenceKey, type Edit, writeOverlay } from './edits.js'
import { evaluateProbes, type ProbeResult } from './evaluate-probes.js'
import { ProbeContext } from './probe-context.js'
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

/** The requests of a run, and what they were compared with. */
export interface ReplayedRun {
  readonly context: ProbeContext
  readonly noise: Noise
  readonly sent: readonly SentProbe[]
}

/** Returns the differences by probe, or by operation. */
const keysOf = (results: readonly ProbeResult[], by: 'name' | 'operation'): ReadonlySet<string> =>
  new Set(results.flatMap(({ differences, probe }) => differences.map((each) => differenceKey(probe[by] ?? '', each))))

/** Returns a fixture with the properties that the pull has dropped, and that this contract has. */
function fixtureFor({ resources }: Service, { document, listings }: PulledState): FixtureDocument {
  const collections = resources.collections.map((collection) => {
    const { model, name } = collection
    const own = listings.filter(({ source }) => source.collection.name === name)
    const records = listOf(document[name]).map((record) => {
      const id = JSON.stringify(idOf(model, objectOf(record)))
      const sent = Object.entries(own.find((each) => each.records.has(id))?.records.get(id) ?? {})
      const known = sent.filter(([key]) => storesUnknown(collection) || model.recordModel.properties.has(key))
      return { ...Object.fromEntries(known), ...objectOf(record) }
    })
    return [name, records] as const
  })
  return { ...document, ...Object.fromEntries(collections) } as FixtureDocument
}

/** Tries edits of the contract, first together, then one after the other. @returns Those that remove a difference, and bring none that is new. */
export async function tryEdits(
  { context, noise, sent }: ReplayedRun,
  edits: readonly Edit[],
): Promise<readonly Edit[]> {
  const { callers, contract, permissions, pulled } = context
  const before = keysOf(evaluateProbes(sent, context, noise), 'operation')
  const isGood = (tried: readonly Edit[]): Promise<boolean> =>
    withContractFile(contract, async (spec) => {
      const overlay = join(spec, '..', 'edits.json')
      const actions = tried.flatMap((edit) => edit.actions)
      await writeFile(overlay, writeOverlay(overlay, 'Edits', actions))
      try {
        const service = await loadService(spec, { overlay })
        const edited = new ProbeContext(service, pulled, callers, permissions, '00000000')
        const probes = sent.map(({ probe }) => inContract(probe, edited))
        const fixture = fixtureFor(service, pulled)
        const again = await runProbes(probes, recordedAnswers(sent), service.contract, { fixture })
        const results = evaluateProbes(again, edited, noise)
        const after = keysOf(results, 'name')
        const isFixed = ({ fixes }: Edit): boolean => fixes.some((key) => !after.has(key))
        return [...keysOf(results, 'operation')].every((key) => before.has(key)) && tried.every(isFixed)
      } catch (error) {
        if (error instanceof ProblemsError) return false
        throw error
      }
    })
  if (edits.length === 0 || (await isGood(edits))) return edits
  const good: Edit[] = []
  for (const edit of edits) if (await isGood([...good, edit])) good.push(edit)
  return good
}
