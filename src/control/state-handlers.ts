/** Control of state and fixtures: read it, replace it, reset it, compare it. */
import { isObject } from '../documents/object.js'
import { toPointer } from '../documents/pointer.js'
import { formatProblem, ProblemsError } from '../documents/problem.js'
import { createError } from '../errors.js'
import { toDocument, toText } from '../resources/document/write.js'
import { diffStates } from '../resources/records/diff.js'
import { countRecords } from '../resources/records/state.js'
import type { FixtureLibrary } from '../state/fixture-library.js'
import type { Fixture } from '../state/fixtures.js'
import { readInline } from '../state/fixtures.js'
import type { AdminContext, AdminHandler, FixtureSummary, ResetSummary, StateDiff } from './admin-context.js'

/** The state as a fixture document. */
export const getState: AdminHandler = ({ sandbox }) => ({
  body: toDocument(sandbox.store.committed),
  text: toText(sandbox.store.committed),
})

/** Replaces the state, whole or not at all. */
export const setState: AdminHandler = ({ body, double, sandbox }) => {
  const document = refuseProblems(() => readInline(body, double.service().resources))
  return { commit: () => sandbox.replaceState(document) }
}

/** Goes back to a fixture. */
export const reset: AdminHandler = async ({ body, double, sandbox }) => {
  const fixture = await fixtureFor(double, body, sandbox.fixture)
  return {
    body: { fixture: fixture.name, collections: countRecords(fixture.state) } satisfies ResetSummary,
    commit: () => sandbox.reset(fixture),
  }
}

/** What changed since the last reset, or since the state was replaced. */
export const getStateDiff: AdminHandler = ({ sandbox: { baseline, store } }) => ({
  body: { fixture: baseline.name, collections: diffStates(baseline.state, store.committed) } satisfies StateDiff,
})

/** The fixtures there are. */
export const listFixtures: AdminHandler = async ({ double }) => {
  const names = [...(await double.library.list()).keys()]
  return { body: await Promise.all(names.map((name) => summarize(double.library, name))) }
}

async function summarize(library: FixtureLibrary, name: string): Promise<FixtureSummary> {
  try {
    const { state } = await library.load(name)
    const { callers, description } = state
    return {
      name,
      ...(description === undefined ? {} : { description }),
      callers: callers.length,
      collections: countRecords(state),
    }
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    return { name, problems: sentences(error) }
  }
}

/**
 * The fixture that the body of a request names, or holds.
 *
 * @param current - What it means where it names none.
 * @throws {DoubleError} `unknown_fixture`, `invalid_state`.
 */
export async function fixtureFor(
  { library, service }: Pick<AdminContext, 'library' | 'service'>,
  body: unknown,
  current: Fixture,
): Promise<Fixture> {
  const given = isObject(body) ? body['fixture'] : undefined
  if (isObject(given)) return refuseProblems(() => readInline(given, service().resources))
  const wanted = typeof given === 'string' ? given : current.name
  // An inline document has no file, and that of a name may be gone since; what was read of it is still there to go back to.
  if (wanted === null || (given === undefined && !(await library.list()).has(wanted))) return current
  try {
    return await library.load(wanted)
  } catch (error) {
    throw error instanceof ProblemsError ? createError('invalid_state', { problems: sentences(error) }) : error
  }
}

/** A text in a body that the contract allows. @returns Undefined where the body does not have it. */
export function textIn(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined
  return typeof value === 'string' ? value : undefined
}

function refuseProblems<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ProblemsError ? createError('invalid_state', { problems: sentences(error) }) : error
  }
}

/** Problems in words. What came in a body has no file to point into. */
const sentences = ({ problems }: ProblemsError): string[] =>
  problems.map((problem) => {
    const { file, path = [], hint, what } = problem
    return file === '' ? `${toPointer(path)}  ${what}  ${hint}` : formatProblem(problem)
  })
