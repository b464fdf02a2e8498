/** What a double begins with: its fixture, and the state that it goes on with or begins anew. */
import { lstat, readdir } from 'node:fs/promises'

import { describePathError } from './documents/path-problem.js'
import type { Problem } from './documents/problem.js'
import { ProblemsError, addFlagToHints } from './documents/problem.js'
import { isMissing } from './documents/real-path.js'
import { sourceExtensions } from './documents/source.js'
import { DoubleError } from './errors.js'
import type { DoubleOptions } from './options.js'
import { defaultFixture, defaultFixtures } from './options.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import { createFixtureLibrary } from './state/fixture-library.js'
import type { Fixture, InsightRules } from './state/fixtures.js'
import { fixtureName } from './state/fixtures.js'
import type { StateFile } from './state/state-file.js'
import { openStateFile } from './state/state-file.js'
import type { Store } from './state/store.js'
import { openStore } from './state/store.js'

/**
 * Finds the fixtures, and loads the one to begin with.
 *
 * @throws {ProblemsError} It is not there, or everything that is wrong with it.
 */
export async function loadInitialFixture(
  { fixture = defaultFixture, fixtures = defaultFixtures }: DoubleOptions,
  rules: () => InsightRules,
): Promise<{ initial: Fixture; library: FixtureLibrary }> {
  await readdir(fixtures).catch((error: unknown) => {
    const what = `cannot be used as a folder: ${describePathError(error)}`
    throw new ProblemsError([{ file: fixtures, what, hint: 'name a folder of fixtures with --fixtures' }])
  })
  const isPath = /[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension))
  if (isPath && !(await isThere(fixture))) {
    throw new ProblemsError([{ file: fixture, what: 'cannot be found', hint: 'check the path given with --fixture' }])
  }
  const library = createFixtureLibrary({ folder: fixtures, extra: isPath ? fixture : undefined, rules })
  try {
    return { initial: await library.load(isPath ? fixtureName(fixture) : fixture), library }
  } catch (error) {
    if (!(error instanceof DoubleError)) throw addFlagToHints('--fixture', error)
    const known = [...(await library.list()).keys()].join(', ')
    const hint = `use one of ${known || `those in ${fixtures} (there are none)`}, or a path, with --fixture`
    throw new ProblemsError([{ file: fixture, what: 'is not the name of a fixture', hint }])
  }
}

/** Whether there is anything by a path, a symlink that leads nowhere included. */
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  )

/** A state, and the file that keeps it, if one does. */
export interface InitialState {
  readonly store: Store
  readonly file: StateFile | undefined
}

/**
 * Opens the state: that of the state file where there is one, else that of the fixture.
 *
 * @throws {ProblemsError} The state file cannot be trusted, or is held by another double. It is left as it was.
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
    throw new ProblemsError(error instanceof ProblemsError ? error.problems.map(mendable) : [unusable(state, error)])
  }
}

/** What is wrong inside a state file can be mended, or left behind; what is wrong with the file itself can only be avoided. */
const mendable = (problem: Problem): Problem => ({
  ...problem,
  hint: problem.position ? `${problem.hint}, or start with --fresh to begin anew` : elsewhere,
})

const elsewhere = 'name another file with --state, or keep none with --memory'

const unusable = (file: string, error: unknown): Problem => ({
  file,
  what: `cannot be written: ${describePathError(error)}`,
  hint: elsewhere,
})
