/** Loads the initial fixture and opens the saved or a new state. */
import { lstat, readdir } from 'node:fs/promises'

import { describePathError } from './documents/path-problem.js'
import type { Problem } from './documents/problem.js'
import { ProblemsError, nameFlag } from './documents/problem.js'
import { isMissing } from './documents/real-path.js'
import { sourceExtensions } from './documents/source.js'
import { DoubleError } from './errors.js'
import type { DoubleOptions } from './options.js'
import { doubleOptions } from './options.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import { createFixtureLibrary } from './state/fixture-library.js'
import type { Fixture, InsightRules } from './state/fixtures.js'
import { fixtureName } from './state/fixtures.js'
import type { StateFile } from './state/state-file.js'
import { openStateFile } from './state/state-file.js'
import type { Store } from './state/store.js'
import { openStore } from './state/store.js'

/**
 * Finds the fixtures and loads the initial one.
 *
 * @param rules - Returns the rules that the insights of a fixture must follow.
 * @throws {ProblemsError} The fixture cannot be found, or has problems. It lists all of them.
 */
export async function loadInitialFixture(
  { fixture = doubleOptions.fixture.default, fixtures = doubleOptions.fixtures.default }: DoubleOptions,
  rules: () => InsightRules,
): Promise<{ initial: Fixture; library: FixtureLibrary }> {
  await readdir(fixtures).catch((error: unknown) => {
    const what = `cannot be used as a folder: ${describePathError(error)}`
    throw new ProblemsError([{ file: fixtures, what, hint: 'name a folder of fixtures with --fixtures' }])
  })
  const isPath = /[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension))
  if (isPath && !(await pathExists(fixture))) {
    throw new ProblemsError([{ file: fixture, what: 'cannot be found', hint: 'check the path given with --fixture' }])
  }
  const library = createFixtureLibrary({ folder: fixtures, extra: isPath ? fixture : undefined, rules })
  try {
    return { initial: await library.load(isPath ? fixtureName(fixture) : fixture), library }
  } catch (error) {
    if (!(error instanceof DoubleError)) throw nameFlag('--fixture', error)
    const known = [...(await library.list()).keys()].join(', ')
    const hint = `use one of ${known || `those in ${fixtures} (there are none)`}, or a path, with --fixture`
    throw new ProblemsError([{ file: fixture, what: 'is not the name of a fixture', hint }])
  }
}

/** Tells whether a path exists. A broken symlink does. */
const pathExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  )

/** The state with its state file. */
export interface InitialState {
  readonly store: Store
  /** Undefined: the state is in memory. */
  readonly file: StateFile | undefined
}

/**
 * Opens the state of the state file if there is one, else the state of the fixture.
 *
 * @throws {ProblemsError} The state file is invalid, or another double has locked it. The file is not changed.
 */
export async function openInitialState(
  initial: Fixture,
  rules: InsightRules,
  { fresh = false, state }: DoubleOptions,
): Promise<InitialState> {
  if (state === undefined) return { store: await openStore(initial.state), file: undefined }
  const file = await openStateFile(state, { rules, fresh })
  try {
    return { store: await openStore(initial.state, file.adapter), file }
  } catch (error) {
    await file.release()
    throw new ProblemsError(
      error instanceof ProblemsError ? error.problems.map(withStateHint) : [unwritable(state, error)],
    )
  }
}

/** Adds the way out to a problem: an invalid content can be replaced by the fixture, an unusable file only by another file. */
const withStateHint = (problem: Problem): Problem => ({
  ...problem,
  hint: problem.position ? `${problem.hint}, or start from the fixture with --fresh` : otherFileHint,
})

const otherFileHint = 'name another file with --state, or use none with --memory'

const unwritable = (file: string, error: unknown): Problem => ({
  file,
  what: `cannot be written: ${describePathError(error)}`,
  hint: otherFileHint,
})
