import { lstat, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { isMissing, pathProblem } from '../documents/paths.js'
import { addFlagToHints, type Problem, ProblemsError } from '../documents/problem.js'
import { sourceExtensions } from '../documents/source.js'
import { DoubleError } from '../http-errors.js'
import { type DoubleOptions, doubleOptions } from '../options.js'
import { defaultFixtures } from '../package-files.js'
import { defaultRecords } from '../resources/generated/generated-records.js'
import type { FixtureOrigin } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import type { Fixture, FixtureLibrary } from '../state/fixtures.js'
import { createFixtureLibrary, fixtureName, generateFixture, isForeign, readInlineFixture } from '../state/fixtures.js'
import { lockStateFile, type StateFile } from '../state/state-file.js'
import { openStore, type Store } from '../state/store.js'

/**
 * Without a fixture, a contract that does not fit that of the package starts with generated records.
 * @throws {ProblemsError} The folder or the fixture is invalid.
 * @throws {TypeError} Options exclude each other.
 */
export async function loadInitialFixture(options: DoubleOptions, resources: () => Resources) {
  const { fixture = doubleOptions.fixture.default, fixtures = defaultFixtures, records, seed, spec } = options
  const asksForRecords = records !== undefined || seed !== undefined
  const excluded = 'A fixture has its own records: --fixture excludes --records and --seed. Leave one of them out.'
  if (options.fixture !== undefined && asksForRecords) throw new TypeError(excluded)
  // The package's own folder is replaced by the next installation, and is shared by all contracts.
  if (options.fixturesWritable && options.fixtures === undefined)
    throw new TypeError('--fixtures-writable needs the folder to write into. Add --fixtures.')
  const notFolder = pathProblem(fixtures, 'cannot be used as a folder', 'name a folder of fixtures with --fixtures')
  await readdir(fixtures).catch(notFolder)
  const isPath =
    typeof fixture === 'string' &&
    (/[\\/]/u.test(fixture) || sourceExtensions.some((extension) => fixture.endsWith(extension)))
  // A broken symlink exists too.
  if (isPath && (await lstat(fixture).catch(isMissing)) === true)
    throw new ProblemsError([{ file: fixture, what: 'cannot be found', hint: 'check the path given with --fixture' }])
  const library = createFixtureLibrary(fixtures, resources, isPath ? fixture : undefined, options.fixturesWritable)
  if (typeof fixture !== 'string') return { initial: readInlineFixture(fixture, resources()), library }
  const generate = async () => {
    const wanted = { records: records ?? defaultRecords.records, seed: seed ?? defaultRecords.seed }
    return { initial: await generateFixture(resources(), wanted, options.now), library }
  }
  const isOwn = resolve(fixtures) !== defaultFixtures && (await library.list()).has(doubleOptions.fixture.default)
  const mayGenerate = options.fixture === undefined && spec !== undefined && !isOwn
  const ofPackage = join(defaultFixtures, `${doubleOptions.fixture.default}.json`)
  if (asksForRecords || (mayGenerate && (await isForeign(ofPackage, resources())))) return generate()
  try {
    return { initial: await library.load(isPath ? fixtureName(fixture) : fixture), library }
  } catch (error) {
    if (error instanceof ProblemsError && mayGenerate) return generate()
    if (error instanceof ProblemsError && options.fixture === undefined && spec !== undefined) {
      const { file } = resources().contract
      const problem = { file, what: 'does not fit the default fixture', hint: 'name a fixture with --fixture' }
      throw new ProblemsError([problem, ...error.problems])
    }
    if (!(error instanceof DoubleError)) throw addFlagToHints('--fixture', error)
    const known = [...(await library.list()).keys()].join(', ')
    const hint = `use one of ${known || `those in ${fixtures} (there are none)`}, or a path, with --fixture`
    throw new ProblemsError([{ file: fixture, what: 'is not the name of a fixture', hint }])
  }
}

/**
 * @returns `note`: for the user, if the state was not seeded from the current content of the fixture.
 * @throws {ProblemsError} The state file is invalid, was seeded from another fixture than the given one, or is locked. It is not changed.
 */
export async function openInitialState(
  initial: Fixture,
  library: FixtureLibrary,
  resources: Resources,
  options: DoubleOptions,
): Promise<
  Record<'baseline' | 'fixture', Fixture> & { store: Store; file: StateFile | undefined; note?: string | undefined }
> {
  const { fresh = false, state } = options
  const start = { fixture: initial, baseline: initial, note: undefined }
  if (state === undefined) return { ...start, store: await openStore(initial.state), file: undefined }
  /** Returns the fixture that the state was seeded from. Undefined: it is unknown, or can no longer be loaded. */
  const findSeeded = (origin: FixtureOrigin | undefined): Promise<Fixture | undefined> | Fixture | undefined => {
    if (origin && 'records' in origin) return generateFixture(resources, origin, options.now)
    const name = origin?.fixture
    if (name === initial.name && !initial.generated) return initial
    return typeof name === 'string' ? library.load(name).catch(() => undefined) : undefined
  }
  const file = await lockStateFile(state, resources, fresh)
  try {
    const store = await openStore(initial.state, file.adapter)
    if (!file.continued) return { ...start, store, file }
    const { origin } = store.committed
    checkOrigin(state, origin, initial, options)
    const seeded = await findSeeded(origin)
    return {
      store,
      file,
      // A reset repeats the numbers of generated records.
      fixture: initial.generated && seeded?.generated ? seeded : initial,
      baseline: seeded ?? { name: nameIn(origin) ?? null, state: store.committed },
      note: createNote(origin, seeded),
    }
  } catch (error) {
    await file.release()
    if (error instanceof ProblemsError) throw new ProblemsError(error.problems.map(withStateHint))
    return pathProblem(state, 'cannot be written', otherFileHint)(error)
  }
}

const nameIn = (origin: FixtureOrigin | undefined) => (origin && 'fixture' in origin ? origin.fixture : undefined)

function describeGenerated({ records, seed }: Pick<DoubleOptions, 'records' | 'seed'>): string {
  const given = Object.entries({ records, seed }).filter(([, value]) => value !== undefined)
  return `with generated records (${given.map(([name, value]) => `--${name} ${value}`).join(', ')})`
}

/** Checks that a state was seeded as the options ask for. @throws {ProblemsError} It was seeded from another fixture, or with other records. */
function checkOrigin(file: string, origin: FixtureOrigin | undefined, { name }: Fixture, options: DoubleOptions): void {
  const { fixture, records, seed } = options
  if (!origin || nameIn(origin) === null) return
  const isSame =
    'records' in origin
      ? fixture === undefined && (records ?? origin.records) === origin.records && (seed ?? origin.seed) === origin.seed
      : (records ?? seed) === undefined && (fixture === undefined || origin.fixture === name)
  if (isSame) return
  const was = 'records' in origin ? describeGenerated(origin) : `from the fixture ${origin.fixture ?? ''}`
  const wanted = fixture === undefined ? describeGenerated({ records, seed }) : `from ${name ?? 'an inline fixture'}`
  const what = `was seeded ${was}, not ${wanted}`
  const hint = 'start from the fixture with --fresh, or name another file with --state'
  throw new ProblemsError([{ file, position: { line: 1, column: 1 }, path: ['$seed'], what, hint }])
}

/** Creates the note on the fixture that a state was seeded from. @returns Undefined if that fixture has not changed. */
function createNote(origin: FixtureOrigin | undefined, fixture: Fixture | undefined): string | undefined {
  if (!origin || fixture?.state.origin?.sha256 === origin.sha256) return undefined
  if ('records' in origin)
    return 'its generated records have changed with the contract or --now since the state was seeded; --fresh starts from them'
  if (origin.fixture === null) return 'seeded from an inline fixture; --fresh starts from the fixture'
  if (!fixture)
    return `seeded from the fixture ${origin.fixture}, which is missing or invalid; --fresh starts from the fixture`
  return `the fixture ${origin.fixture} has changed since the state was seeded from it; --fresh starts from the fixture`
}

/** Adds a hint to a problem: `--fresh` replaces invalid content, and a file that cannot be used needs another path. */
function withStateHint(problem: Problem): Problem {
  const { hint, position } = problem
  if (position && hint.includes('--fresh')) return problem
  return { ...problem, hint: position ? `${hint}, or start from the fixture with --fresh` : otherFileHint }
}

const otherFileHint = 'name another file with --state, or use none with --memory'
