/** Sends the requests of a run to another double, and compares with the responses that the service gave. Tries edits in this way. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Contract } from '../contract/contract.js'
import { listOf, objectOf } from '../documents/object.js'
import { ProblemsError } from '../documents/problem.js'
import { type DoubleOptions, type FixtureDocument, startDouble, type StartedDouble } from '../index.js'
import type { PulledState } from '../pull/pull.js'
import { standInToken } from '../pull/requests.js'
import { ServiceClient } from '../pull/service-client.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { idOf } from '../resources/infer/id-property.js'
import { loadService, type Service } from '../resources/load-service.js'
import type { Noise } from './differences.js'
import { differenceKey, type Edit, writeOverlay } from './edits.js'
import { evaluateProbes, type ProbeResult } from './evaluate-probes.js'
import { ProbeContext } from './probe-context.js'
import type { Probe, ProbeStep } from './probe.js'
import { type Answer, type ComparedService, sendProbe, type SentProbe } from './run-probes.js'

export const doubleOf = ({ url }: StartedDouble, contract: Contract): ComparedService => ({
  client: new ServiceClient({ url, timeoutMs: 60_000 }),
  tokenOf: (name) => standInToken(contract, name),
})

/** Sends probes again. The service gives its answers again: to an equal request of the probe, in their order. */
export async function replay(
  sent: readonly SentProbe[],
  double: StartedDouble,
  context: ProbeContext,
  tokenOf: ComparedService['tokenOf'],
): Promise<readonly SentProbe[]> {
  const ours = doubleOf(double, context.contract)
  const results: SentProbe[] = []
  for (const each of sent) {
    const left = [...each.answers]
    const send: ServiceClient['send'] = ({ body, method, target }) => {
      const isAsked = ({ request }: Answer): boolean =>
        request.method === method && request.target === target && request.body === body
      const at = left.findIndex(isAsked)
      const [answer] = at === -1 ? [] : left.splice(at, 1)
      return Promise.resolve(answer?.service ?? { failure: 'was not asked this' })
    }
    const again = await sendProbe(inContract(each.probe, context), { client: { send }, tokenOf }, ours)
    results.push({ ...again, stopped: each.stopped ?? again.stopped })
    if (each.copied) await double.setState(each.copied)
  }
  return results
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

/** Calls a function with the path of a spec with the whole contract, as one file. */
async function withSpecFile<T>({ document }: Contract, use: (spec: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-'))
  try {
    const spec = join(folder, 'contract.json')
    await writeFile(spec, JSON.stringify(document))
    return await use(spec)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a double of a service. A contract from a URL, or of several files, is not read again: the double gets the document, overlay applied. */
export const startDoubleOf = (contract: Contract, options: DoubleOptions): Promise<StartedDouble> =>
  contract.files.length === 1
    ? startDouble({ ...options, spec: contract.file })
    : withSpecFile(contract, (spec) => startDouble({ ...options, overlay: undefined, spec }))

/** The requests of a run, and what they were compared with. */
export interface ReplayedRun {
  readonly context: ProbeContext
  readonly noise: Noise
  readonly sent: readonly SentProbe[]
  readonly tokenOf: ComparedService['tokenOf']
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
export async function tryEdits(run: ReplayedRun, edits: readonly Edit[]): Promise<readonly Edit[]> {
  const { context, noise, sent, tokenOf } = run
  const { callers, contract, permissions, pulled } = context
  const results = evaluateProbes(sent, context, noise)
  const before = keysOf(results, 'operation')
  const isGood = (tried: readonly Edit[]): Promise<boolean> =>
    withSpecFile(contract, async (spec) => {
      const overlay = join(spec, '..', 'edits.json')
      const actions = tried.flatMap((edit) => edit.actions)
      await writeFile(overlay, writeOverlay(overlay, 'Edits', actions))
      try {
        const service = await loadService(spec, { overlay })
        const again = new ProbeContext(service, pulled, callers, permissions, '00000000')
        await using double = await startDouble({ spec, overlay, fixture: fixtureFor(service, pulled) })
        const evaluated = evaluateProbes(await replay(sent, double, again, tokenOf), again, noise)
        const after = keysOf(evaluated, 'name')
        const isFixed = ({ fixes }: Edit): boolean => fixes.some((key) => !after.has(key))
        return [...keysOf(evaluated, 'operation')].every((key) => before.has(key)) && tried.every(isFixed)
      } catch (error) {
        if (error instanceof ProblemsError) return false
        throw error
      }
    })
  if (edits.length === 0 || (await isGood(edits))) return edits
  const good: Edit[] = []
  for (const edit of edits) {
    good.push(edit)
    if (!(await isGood(good))) good.pop()
  }
  return good
}
