import { isObject, listOf, mapValues, objectOf } from '../documents/object.js'
import { toPointer } from '../documents/pointer.js'
import { formatProblem, ProblemsError } from '../documents/problem.js'
import { createError } from '../http-errors.js'
import { callersDocument, toDocument, toText } from '../resources/document/write.js'
import { defaultRecords } from '../resources/generated/generated-records.js'
import { diffStates, goneBetween } from '../resources/records/diff.js'
import { countRecords, recordsOf } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { type NewSandboxOptions, rootName, type Sandbox } from '../sandbox/sandbox.js'
import type { TestResult } from '../sandbox/test-result.js'
import { type Fixture, generateFixture, isForeign, readInlineFixture } from '../state/fixtures.js'
import { checkUnits } from '../vary/variations.js'
import type { AdminContext, AdminHandlers } from './admin-handler-types.js'
import type { FixtureSummary, ResetSummary, SandboxSummary, StateDiff, VariationSummary } from './document-types.js'
import { cutChanges } from './record-handlers.js'

export const stateHandlers: AdminHandlers = {
  getState: ({ sandbox }) => ({ body: toDocument(sandbox.store.committed), text: toText(sandbox.store.committed) }),
  // Replaces the whole state, or nothing if the document is invalid.
  setState: ({ body, double, sandbox }) => {
    const fixture = readBody(body, double.service().resources)
    return { commit: () => sandbox.replaceState(fixture) }
  },
  reset: async ({ body, double, sandbox }) => {
    const fixture = await resolveFixture(double, body, sandbox.fixture, sandbox.settings.now)
    const summary: ResetSummary = { fixture: fixture.name, collections: countRecords(fixture.state) }
    return { body: summary, commit: () => sandbox.reset(fixture) }
  },
  getStateDiff: ({ parameters: { cutAt, limit }, sandbox: { baseline, store } }) => {
    const [before, after] = [baseline.state, store.committed]
    const collections = Object.entries(diffStates(before, after, limit)).map(([name, diff]) => {
      const gone = goneBetween(recordsOf(before, name), recordsOf(after, name)).slice(0, limit ?? 0)
      const changed = mapValues(diff.changed, (changes) => cutChanges(changes, cutAt))
      return [name, { ...diff, ...(gone.length > 0 && { gone }), changed }] as const
    })
    return { body: { fixture: baseline.name, collections: Object.fromEntries(collections) } satisfies StateDiff }
  },
  listFixtures: async ({ double }) => {
    const files = [...(await double.library.list())]
    return { body: await Promise.all(files.map(([name, file]) => summarizeFixture(double, name, file))) }
  },
  saveFixture: ({ double, parameters: { name = '' }, sandbox }) => {
    const { $description, $seed: _, ...records } = toDocument(sandbox.store.committed)
    // The description is that of the fixture that the state began as: another one is not described by it.
    const document = sandbox.baseline.name === name ? { $description, ...records } : records
    return { commit: () => double.library.save(name, `${JSON.stringify(document, null, 2)}\n`) }
  },
  listVariations: ({ sandbox: { variations } }) => ({
    body: [...variations.seen.keys()].flatMap((unit): VariationSummary | [] => variations.summarize(unit) ?? []),
  }),
  setVariations: ({ body, double, sandbox }) => {
    const units = listOf(body).map(String)
    checkUnits(units, double.service())
    return { commit: () => sandbox.variations.set(units) }
  },
  listSandboxes: ({ double, origin }) => ({ body: summarizeSandboxes(double, origin) }),
  createSandbox: async ({ body, double, origin }) => {
    const { root } = double.sandboxes
    // The contract has validated the body as a SandboxRequest.
    const options = (body ?? {}) as NewSandboxOptions
    const fixture = await resolveFixture(double, body, root.fixture, options.now ?? root.settings.now)
    checkUnits(options.vary ?? [], double.service())
    const sandbox = await double.sandboxes.prepare(fixture, options)
    const callers = sandbox.settings.uniqueTokens && { callers: callersDocument(sandbox.store.committed) }
    return { body: { ...summarizeSandbox(sandbox, origin), ...callers }, commit: () => double.sandboxes.add(sandbox) }
  },
  setSandboxResult: ({ body, double, parameters: { name = '' } }) => {
    double.sandboxes.get(name, true)
    // The contract has validated the body as a TestResult.
    return { commit: () => double.sandboxes.setResult(name, body as unknown as TestResult) }
  },
  dropSandbox: ({ double, parameters: { name = '' } }) => {
    if (name === rootName || !double.sandboxes.list().some((sandbox) => sandbox.name === name))
      throw createError('unknown_sandbox', { name })
    return { commit: () => double.sandboxes.drop(name) }
  },
}

async function summarizeFixture(double: AdminContext, name: string, path: string): Promise<FixtureSummary> {
  const { library, service } = double
  try {
    const { state } = await library.load(name)
    const described = state.description === undefined ? {} : { description: state.description }
    return { name, ...described, callers: state.callers.length, collections: countRecords(state) }
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    const foreign = (await isForeign(path, service().resources).catch(() => false)) ? { isForeign: true } : {}
    return { name, ...foreign, problems: formatAll(error) }
  }
}

/** @param current - The fixture to return if the body names none. @param now - The fixed time of generated records. Undefined: the clock runs. @throws {DoubleError} `unknown_fixture`, `invalid_state`, `two_fixtures`. */
async function resolveFixture(double: AdminContext, body: unknown, current: Fixture, now: string | undefined) {
  const { library, service } = double
  const { fixture: given, records, seed } = objectOf(body)
  const isGenerated = typeof records === 'number' || typeof seed === 'number'
  if (isGenerated && given !== undefined) throw createError('two_fixtures', undefined)
  // A changed contract has other records.
  if (isGenerated || (given === undefined && current.generated))
    return generateFixture(service().resources, { ...defaultRecords, ...current.generated, ...objectOf(body) }, now)
  if (isObject(given)) return readBody(given, service().resources)
  const name = typeof given === 'string' ? given : current.name
  // An inline fixture has no file, and the file of a named fixture may have been removed. The current fixture is still in memory.
  if (name === null || (given === undefined && !(await library.list()).has(name))) return current
  return library.load(name).catch(refuseProblems)
}

function readBody(body: unknown, resources: Resources): Fixture {
  try {
    return readInlineFixture(body, resources)
  } catch (error) {
    return refuseProblems(error)
  }
}

function refuseProblems(error: unknown): never {
  throw error instanceof ProblemsError ? createError('invalid_state', { problems: formatAll(error) }) : error
}

/** Formats problems. The problems of a request body have no file. */
const formatAll = ({ problems }: ProblemsError): string[] =>
  problems.map((problem) => {
    const { file, path = [], hint, what } = problem
    return file === '' ? `${toPointer(path)}  ${what}  ${hint}` : formatProblem(problem)
  })

/** Describes the dropped sandboxes that can be read, then the others. */
export const summarizeSandboxes = ({ sandboxes }: Pick<AdminContext, 'sandboxes'>, origin: string): SandboxSummary[] =>
  sandboxes.listed().map((sandbox) => summarizeSandbox(sandbox, origin))

function summarizeSandbox(sandbox: Sandbox, origin: string): SandboxSummary {
  const { createdAt, droppedAt, fixture, journal, name, test } = sandbox
  const { expectsViolations: expectViolations, result, title } = test
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(result === undefined ? {} : { result }),
    url: origin + sandbox.basePath,
    fixture: fixture.name,
    createdAt,
    ...(droppedAt === undefined ? {} : { droppedAt }),
    expectViolations,
    collections: countRecords(sandbox.store.committed),
    requests: journal.requests,
    violations: journal.violating,
    idleMs: Math.max(0, Date.now() - sandbox.lastUsed),
  }
}
