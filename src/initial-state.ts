/** What a double begins with: its fixture, and the state that it goes on with or begins anew. */
import { lstat, readdir } from 'node:fs/promises'

import { describePathError } from './documents/path-problem.js'
import type { Problem } from './documents/problem.js'
import { ProblemsError, nameFlag } from './documents/problem.js'
import { isMissing } from './documents/real-path.js'
import { sourceExtensions } from './documents/source.js'
import { DoubleError } from './errors.js'
import type { DoubleOptions } from './options.js'
import { defaultFixture, defaultFixtures } from './options.js'
import type { Seed } from './resources/records/state.js'
import type { Resources } from './resources/resources.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import { createFixtureLibrary } from './state/fixture-library.js'
import type { Fixture } from './state/fixtures.js'
import { fixtureName, readInlineFixture } from './state/fixtures.js'
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
  resources: () => Resources,
): Promise<{ initial: Fixture; library: FixtureLibrary }> {
  await readdir(fixtures).catch((error: unknown) => {
    const what = `cannot be used as a folder: ${describePathError(error)}`
    throw new ProblemsError([{ file: fixtures, what, hint: 'name a folder of fixtures with --fixtures' }])
  })
  if (typeof fixture !== 'string') {
    const library = createFixtureLibrary({ folder: fixtures, resources })
    return { initial: readInlineFixture(fixture, resources()), library }
  }
  const isPath = /[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension))
  if (isPath && !(await isThere(fixture))) {
    throw new ProblemsError([{ file: fixture, what: 'cannot be found', hint: 'check the path given with --fixture' }])
  }
  const library = createFixtureLibrary({ folder: fixtures, extra: isPath ? fixture : undefined, resources })
  try {
    return { initial: await library.load(isPath ? fixtureName(fixture) : fixture), library }
  } catch (error) {
    if (!(error instanceof DoubleError)) throw nameFlag('--fixture', error)
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
  /** What a diff compares with until the next reset. */
  readonly baseline: Fixture
  /** What the user should know of a state that was seeded from something other than the fixture as it is now. */
  readonly note: string | undefined
}

/**
 * Opens the state: that of the state file where there is one, else that of the fixture.
 *
 * @throws {ProblemsError} The state file cannot be trusted, was seeded from a fixture of another name than the one that was asked for, or
 * is held by another double. It is left as it was.
 */
export async function openInitialState(
  initial: Fixture,
  library: FixtureLibrary,
  resources: Resources,
  { fixture, fresh = false, state }: DoubleOptions,
): Promise<InitialState> {
  if (state === undefined)
    return { store: await openStore(initial.state), file: undefined, baseline: initial, note: undefined }
  const file = await openStateFile(state, { resources, fresh })
  try {
    const store = await openStore(initial.state, file.adapter)
    if (!file.continued) return { store, file, baseline: initial, note: undefined }
    const { seed } = store.committed
    if (fixture !== undefined) refuseOtherSeed(state, seed, initial)
    const isInitial = seed?.fixture === initial.name
    const seeded = isInitial ? initial : await findFixture(library, seed?.fixture)
    return {
      store,
      file,
      baseline: seeded ?? { name: seed?.fixture ?? null, state: store.committed },
      note: noteOn(seed, seeded),
    }
  } catch (error) {
    await file.release()
    throw new ProblemsError(error instanceof ProblemsError ? error.problems.map(mendable) : [unusable(state, error)])
  }
}

/** @throws {ProblemsError} The state was seeded from a fixture of another name than the one that was asked for. */
function refuseOtherSeed(file: string, seed: Seed | undefined, { name }: Fixture): void {
  if (typeof seed?.fixture !== 'string' || seed.fixture === name) return
  const what = `was seeded from the fixture ${seed.fixture}, and ${name ?? 'an inline fixture'} is asked for`
  const hint = 'start with --fresh to begin anew, or name another file with --state'
  throw new ProblemsError([{ file, position: { line: 1, column: 1 }, path: ['$seed'], what, hint }])
}

/** Finds a fixture that may be gone, or wrong by now. */
async function findFixture(library: FixtureLibrary, name: string | null | undefined): Promise<Fixture | undefined> {
  if (typeof name !== 'string') return undefined
  return library.load(name).catch(() => undefined)
}

function noteOn(seed: Seed | undefined, fixture: Fixture | undefined): string | undefined {
  if (!seed) return undefined
  if (seed.fixture === null) return 'seeded from an inline document; --fresh begins anew'
  if (!fixture) return `seeded from the fixture ${seed.fixture}, which is not there any more; --fresh begins anew`
  if (fixture.state.seed?.sha256 === seed.sha256) return undefined
  return `the fixture ${seed.fixture} has changed since the state was seeded from it; --fresh begins anew`
}

/** What is wrong inside a state file can be mended, or left behind; what is wrong with the file itself can only be avoided. */
const mendable = (problem: Problem): Problem => ({
  ...problem,
  hint: !problem.position
    ? elsewhere
    : problem.hint.includes('--fresh')
      ? problem.hint
      : `${problem.hint}, or start with --fresh to begin anew`,
})

const elsewhere = 'name another file with --state, or keep none with --memory'

const unusable = (file: string, error: unknown): Problem => ({
  file,
  what: `cannot be written: ${describePathError(error)}`,
  hint: elsewhere,
})
