/** Gives the answers of a run once more. Tries edits of the contract in this way. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { type JsonObject, listOf, objectOf } from '../documents/object.js'
import { ProblemsError } from '../documents/problem.js'
import type { FixtureDocument } from '../index.js'
import type { PulledState } from '../pull/pull.js'
import { RunError } from '../pull/service-client.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { idOf } from '../resources/infer/id-property.js'
import { loadService, type Service } from '../resources/load-service.js'
import type { Edit } from './edit.js'
import { differenceKey } from './edits.js'
import { evaluateProbes, type FoundDifference, type ProbeResult, type ProbeRun } from './evaluate-probes.js'
import { ProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import { type Answer, type AnswerSource, runProbes, type SentProbe, withContractFile } from './run-probes.js'
import { writeOverlay } from './write-overlay.js'

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

const keysOf = (results: readonly ProbeResult[], keyOf: KeyOf): ReadonlySet<string> =>
  new Set(results.flatMap((result) => result.differences.map((each) => keyOf(result, each))))

const operationKey: KeyOf = ({ probe }, each) => differenceKey(probe.operation ?? '', each)

const stepKey: KeyOf = ({ probe, steps }, { at }) => `${probe.name} ${steps.findIndex(({ step }) => step === at.step)}`

/** Returns a state of the service with the properties that the pull has dropped, and that this contract has. */
function fixtureFor(
  { resources }: Service,
  { listings }: PulledState,
  document: FixtureDocument | JsonObject,
): FixtureDocument {
  const collections = resources.collections.map((collection) => {
    const { model, name } = collection
    const own = listings.filter(({ source }) => source.collection.name === name)
    const records = listOf((document as JsonObject)[name]).map((record) => {
      const id = JSON.stringify(idOf(model, objectOf(record)))
      const sent = Object.entries(own.find((each) => each.records.has(id))?.records.get(id) ?? {})
      const known = sent.filter(([key]) => storesUnknown(collection) || model.recordModel.properties.has(key))
      return { ...Object.fromEntries(known), ...objectOf(record) }
    })
    return [name, records] as const
  })
  return { ...document, ...Object.fromEntries(collections) } as FixtureDocument
}

/** Tries edits of the contract together, then without those that remove no difference, then each half. @returns Those that bring no new difference. */
export async function tryEdits(run: ProbeRun, edits: readonly Edit[]): Promise<readonly Edit[]> {
  const { context, noise, sent } = run
  const { callers, contract, permissions, pulled } = context
  const differing = evaluateProbes(run)
  const before = keysOf(differing, operationKey)
  // A wrong status hides the other differences of a response, so these are not new.
  const known = keysOf(differing, (result, each) => (each.part === 'status' ? stepKey(result, each) : ''))
  /** Returns the edits that remove no difference, and whether there is a new one. Undefined: the contract is not valid. */
  const attempt = (tried: readonly Edit[]): Promise<{ idle: ReadonlySet<Edit>; isWorse: boolean } | undefined> =>
    withContractFile(contract, async (spec) => {
      const overlay = join(spec, '..', 'edits.json')
      const actions = tried.flatMap((edit) => edit.actions)
      await writeFile(overlay, writeOverlay(overlay, 'Edits', actions))
      try {
        const service = await loadService(spec, { overlay })
        const edited = new ProbeContext(service, pulled, callers, permissions, '00000000')
        const probes = sent.map(({ probe }) => inContract(probe, edited))
        const fixture = fixtureFor(service, pulled, pulled.document)
        const answers = recordedAnswers(
          sent.map((each) => ({ ...each, copied: each.copied && fixtureFor(service, pulled, each.copied) })),
        )
        const again = await runProbes(probes, answers, service.contract, { fixture })
        const results = evaluateProbes({ context: edited, noise, sent: again })
        const after = keysOf(results, ({ probe }, each) => differenceKey(probe.name, each))
        const idle = new Set(tried.filter(({ fixes }) => fixes.every((key) => after.has(key))))
        const isWorse = results.some((result) =>
          result.differences.some(
            (each) => !before.has(operationKey(result, each)) && !known.has(stepKey(result, each)),
          ),
        )
        return { idle, isWorse }
      } catch (error) {
        if (error instanceof ProblemsError) return undefined
        throw error
      }
    })
  const good: Edit[] = []
  const add = async (tried: readonly Edit[]): Promise<void> => {
    if (tried.length === 0) return
    const result = await attempt([...good, ...tried])
    const helping = tried.filter((edit) => result?.idle.has(edit) !== true)
    if (result?.isWorse === false && helping.length === tried.length) good.push(...tried)
    else if (helping.length < tried.length) await add(helping)
    else if (tried.length > 1) {
      const half = Math.ceil(tried.length / 2)
      await add(tried.slice(0, half))
      await add(tried.slice(half))
    }
  }
  // An edit may need another one that comes later.
  let found = -1
  while (found < good.length) {
    found = good.length
    await add(edits.filter((edit) => !good.includes(edit)))
  }
  return good
}
