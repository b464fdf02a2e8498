/** Control of state and fixtures: read it, replace it, reset it, compare it. */
import { toPointer } from '../documents/pointer.js'
import { formatProblem, ProblemsError } from '../documents/problem.js'
import { createError } from '../errors.js'
import type { FixtureLibrary } from '../state/fixture-library.js'
import type { Fixture } from '../state/fixtures.js'
import { parseFixture } from '../state/fixtures.js'
import { diffStates, toDocument } from '../state/state.js'
import type { AdminHandler, FixtureSummary } from './admin-context.js'

/** The state as a fixture document. */
export const getState: AdminHandler = ({ sandbox }) => ({ body: toDocument(sandbox.store.committed), indent: 2 })

/** Replaces the state, whole or not at all. */
export const setState: AdminHandler = ({ body, double, sandbox }) => {
  const nowhere = { line: 1, column: 1 }
  const state = refuseProblems(() =>
    parseFixture({ file: '', text: '', value: body, locate: () => nowhere }, double.rules()),
  )
  return { commit: () => sandbox.store.commit(state) }
}

/** Goes back to a fixture. */
export const reset: AdminHandler = async ({ body, double, sandbox }) => {
  const fixture = await fixtureFor(double.library, textIn(body, 'fixture'), sandbox.fixture)
  return {
    body: { fixture: fixture.name, insights: fixture.state.insights.length },
    commit: () => sandbox.reset(fixture),
  }
}

/** What changed since the last reset. */
export const getStateDiff: AdminHandler = ({ sandbox }) => ({
  body: { fixture: sandbox.fixture.name, ...diffStates(sandbox.fixture.state, sandbox.store.committed) },
})

/** The fixtures there are. */
export const listFixtures: AdminHandler = async ({ double }) => {
  const names = [...(await double.library.list()).keys()]
  return { body: await Promise.all(names.map((name) => summarize(double.library, name))) }
}

async function summarize(library: FixtureLibrary, name: string): Promise<FixtureSummary> {
  try {
    const { state } = await library.load(name)
    const { callers, description, insights } = state
    return {
      name,
      ...(description === undefined ? {} : { description }),
      callers: callers.length,
      insights: insights.length,
    }
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    return { name, problems: sentences(error) }
  }
}

/**
 * The fixture that a request names.
 *
 * @param current - What it means where it names none.
 * @throws {DoubleError} `unknown_fixture`, `invalid_state`.
 */
export async function fixtureFor(
  library: FixtureLibrary,
  name: string | undefined,
  current: Fixture,
): Promise<Fixture> {
  const wanted = name ?? current.name
  // Its file may be gone since; what was read of it is still there to go back to.
  if (name === undefined && !(await library.list()).has(wanted)) return current
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
