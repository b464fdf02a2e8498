import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { isObject } from '../documents/object.js'
import { describePathError } from '../documents/path-problem.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError, addFlagToHints } from '../documents/problem.js'
import { isMissing } from '../documents/real-path.js'
import { readSource, sourceExtensions } from '../documents/source.js'
import { DoubleError } from '../http-errors.js'
import type { DoubleOptions } from '../options.js'
import { doubleOptions } from '../options.js'
import { defaultFixtures } from '../package-files.js'
import { createStartingDocument } from '../resources/document/write.js'
import type { FixtureOrigin } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import type { Fixture, FixtureLibrary } from '../state/fixtures.js'
import { createFixtureLibrary, fixtureName, readInlineFixture } from '../state/fixtures.js'
import type { StateFile } from '../state/state-file.js'
import { lockStateFile } from '../state/state-file.js'
import type { Store } from '../state/store.js'
import { openStore } from '../state/store.js'

/** A contract that shares no collection with the default fixture starts without it. @throws {ProblemsError} The folder or the fixture is invalid. */
export async function loadInitialFixture(
  options: DoubleOptions,
  resources: () => Resources,
): Promise<{ initial: Fixture; library: FixtureLibrary }> {
  const { fixture = doubleOptions.fixture.default, fixtures = defaultFixtures, spec } = options
  await readdir(fixtures).catch((error: unknown) => {
    const what = `cannot be used as a folder: ${describePathError(error)}`
    throw new ProblemsError([{ file: fixtures, what, hint: 'name a folder of fixtures with --fixtures' }])
  })
  if (typeof fixture !== 'string') {
    const library = createFixtureLibrary(fixtures, resources)
    return { initial: readInlineFixture(fixture, resources()), library }
  }
  const isPath = /[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension))
  if (isPath && !(await pathExists(fixture))) {
    throw new ProblemsError([{ file: fixture, what: 'cannot be found', hint: 'check the path given with --fixture' }])
  }
  const library = createFixtureLibrary(fixtures, resources, isPath ? fixture : undefined)
  if (options.fixture === undefined && spec !== undefined && (await isForeign(resources(), library, fixtures)))
    return { initial: readInlineFixture(createStartingDocument(resources()), resources()), library }
  try {
    return { initial: await library.load(isPath ? fixtureName(fixture) : fixture), library }
  } catch (error) {
    if (error instanceof ProblemsError && options.fixture === undefined && spec !== undefined) {
      const hint = 'name a fixture with --fixture'
      throw new ProblemsError([{ file: spec, what: 'does not fit the default fixture', hint }, ...error.problems])
    }
    if (!(error instanceof DoubleError)) throw addFlagToHints('--fixture', error)
    const known = [...(await library.list()).keys()].join(', ')
    const hint = `use one of ${known || `those in ${fixtures} (there are none)`}, or a path, with --fixture`
    throw new ProblemsError([{ file: fixture, what: 'is not the name of a fixture', hint }])
  }
}

/** Tells whether a contract shares no collection with the package's default fixture, and the folder has no other fixture of its name. */
async function isForeign({ collections }: Resources, library: FixtureLibrary, folder: string): Promise<boolean> {
  const name = doubleOptions.fixture.default
  if (resolve(folder) !== defaultFixtures && (await library.list()).has(name)) return false
  const { value } = await readSource(join(defaultFixtures, `${name}.json`))
  return isObject(value) && !collections.some((collection) => Object.hasOwn(value, collection.name))
}

/** Tells whether a path exists. A broken symlink exists too. */
const pathExists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  )

export interface InitialState {
  readonly store: Store
  readonly file: StateFile | undefined
  /** The state that a diff compares with until the next reset. */
  readonly baseline: Fixture
  /** A note for the user if the state was not seeded from the current content of the fixture. */
  readonly note: string | undefined
}

/** @throws {ProblemsError} The state file is invalid, was seeded from another fixture than the given one, or is locked. It is not changed. */
export async function openInitialState(
  initial: Fixture,
  library: FixtureLibrary,
  resources: Resources,
  { fixture, fresh = false, state }: DoubleOptions,
): Promise<InitialState> {
  if (state === undefined)
    return { store: await openStore(initial.state), file: undefined, baseline: initial, note: undefined }
  const file = await lockStateFile(state, resources, fresh)
  try {
    const store = await openStore(initial.state, file.adapter)
    if (!file.continued) return { store, file, baseline: initial, note: undefined }
    const { origin } = store.committed
    if (fixture !== undefined) checkOrigin(state, origin, initial)
    const name = origin?.fixture
    const isOther = typeof name === 'string' && name !== initial.name
    const other = isOther ? await library.load(name).catch(() => undefined) : undefined
    const seeded = name === initial.name ? initial : other
    return {
      store,
      file,
      baseline: seeded ?? { name: origin?.fixture ?? null, state: store.committed },
      note: createNote(origin, seeded),
    }
  } catch (error) {
    await file.release()
    throw new ProblemsError(
      error instanceof ProblemsError ? error.problems.map(withStateHint) : [unwritable(state, error)],
    )
  }
}

/** Checks that a state was seeded from the given fixture. @throws {ProblemsError} It was seeded from another one. */
function checkOrigin(file: string, origin: FixtureOrigin | undefined, { name }: Fixture): void {
  if (typeof origin?.fixture !== 'string' || origin.fixture === name) return
  const what = `was seeded from the fixture ${origin.fixture}, not from ${name ?? 'an inline fixture'}`
  const hint = 'start from the fixture with --fresh, or name another file with --state'
  throw new ProblemsError([{ file, position: { line: 1, column: 1 }, path: ['$seed'], what, hint }])
}

/** Creates the note on the fixture that a state was seeded from. @returns Undefined if that fixture has not changed. */
function createNote(origin: FixtureOrigin | undefined, fixture: Fixture | undefined): string | undefined {
  if (!origin || fixture?.state.origin?.sha256 === origin.sha256) return undefined
  if (origin.fixture === null) return 'seeded from an inline fixture; --fresh starts from the fixture'
  if (!fixture)
    return `seeded from the fixture ${origin.fixture}, which is missing or invalid; --fresh starts from the fixture`
  return `the fixture ${origin.fixture} has changed since the state was seeded from it; --fresh starts from the fixture`
}

/** Adds a hint to a problem: `--fresh` replaces invalid content, and a file that cannot be used needs another path. */
const withStateHint = (problem: Problem): Problem => ({
  ...problem,
  hint: !problem.position
    ? otherFileHint
    : problem.hint.includes('--fresh')
      ? problem.hint
      : `${problem.hint}, or start from the fixture with --fresh`,
})

const otherFileHint = 'name another file with --state, or use none with --memory'

const unwritable = (file: string, error: unknown): Problem => ({
  file,
  what: `cannot be written: ${describePathError(error)}`,
  hint: otherFileHint,
})
