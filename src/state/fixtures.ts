/** Finds, reads and validates fixtures. A fixture is accepted as a whole, or refused with all its problems. */
import { createHash } from 'node:crypto'
import { readdir, realpath } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'

import { writeDurably } from '../documents/durable-file.js'
import { isObject, objectAt, objectOf } from '../documents/object.js'
import { findStats, statFingerprint } from '../documents/paths.js'
import { type Problem, problemAt, ProblemsError } from '../documents/problem.js'
import { readSource, redactProblems, type Source, sourceExtensions } from '../documents/source.js'
import { createError } from '../http-errors.js'
import { onceForObject } from '../once.js'
import { type DocumentProblem, maxProblems } from '../resources/document/document-problem.js'
import { readDocument } from '../resources/document/read.js'
import type { Filled, GeneratedRecords } from '../resources/generated/generated-records.js'
import { type State, withOrigin } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { lockName } from '../resources/role-lock.js'

export interface Fixture {
  /** The file's base name without its extension. Null: an inline fixture. */
  readonly name: string | null
  readonly state: State
  /** The numbers that its records were generated from. Undefined: they were not generated. */
  readonly generated?: GeneratedRecords & { readonly filled: readonly Filled[] }
}

export const fixtureName = (file: string): string => basename(file, extname(file))

/** Lists the fixture files of a folder by name, symlinks to files included. Returns none if the folder cannot be read. */
export async function findFixtureFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(resolve(folder), { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries
      .filter(({ name }) => sourceExtensions.includes(extname(name)) && name !== lockName)
      .map(async (entry) => {
        const file = join(folder, entry.name)
        // The lock of an editor is a symlink that leads nowhere.
        return entry.isFile() || (entry.isSymbolicLink() && (await findStats(resolve(file)))?.isFile()) ? [file] : []
      }),
  )
  return new Map(found.flat().map((file) => [fixtureName(file), file]))
}

/** Loads a fixture file. @throws {ProblemsError} It is invalid. */
export async function loadFixture(file: string, resources: Resources): Promise<Fixture> {
  const name = fixtureName(file)
  const source = await readSource(file)
  const sha256 = createHash('sha256').update(source.text).digest('hex')
  return { name, state: withOrigin(parseFixture(source, resources), { fixture: name, sha256 }) }
}

/** Tells whether a fixture file shares no collection with a contract: it is that of another one. @throws {ProblemsError} It cannot be read. */
export async function isForeign(file: string, { collections }: Resources): Promise<boolean> {
  const { value } = await readSource(file)
  return isObject(value) && !collections.some((collection) => Object.hasOwn(value, collection.name))
}

/** Reads an inline fixture. It has no name, and its problems have no file. @throws {ProblemsError} It is invalid. */
export function readInlineFixture(document: unknown, resources: Resources): Fixture {
  const locate: Source['locate'] = () => ({ file: '', text: '', line: 1, column: 1 })
  const state = parseFixture({ value: document, locate }, resources)
  return { name: null, state: withOrigin(state, { fixture: null, sha256: hashOf(document) }) }
}

/** Hashes a document record by record, so that the text of a large one is never in memory as a whole. */
function hashOf(document: unknown): string {
  const hash = createHash('sha256')
  for (const [key, value] of Object.entries(objectOf(document))) {
    if (key === '$seed') continue
    hash.update(JSON.stringify(key))
    for (const item of [value].flat()) hash.update(JSON.stringify(item))
  }
  return hash.digest('hex')
}

/** Creates the state of a fixture document. @throws {ProblemsError} The document is invalid. */
export function parseFixture(source: Pick<Source, 'locate' | 'value'>, resources: Resources): State {
  const result = readDocument(source.value, resources)
  if ('state' in result) return result.state
  throw new ProblemsError(redactProblems(locateProblems(source, result.problems), tokensIn(source.value)))
}

/** Adds file and position to problems. Lists the first `maxProblems` only. */
function locateProblems(source: Pick<Source, 'locate'>, found: readonly DocumentProblem[]): Problem[] {
  const shown = found.slice(0, maxProblems)
  const problems = shown.map(({ at, hint, message, path }) => problemAt(source, path, message, hint, at))
  const next = found[maxProblems]
  if (!next) return problems
  const { file, position } = problemAt(source, next.path, '', '', next.at)
  const what = 'has further problems from here on'
  return [...problems, { file, ...(position && { position }), what, hint: 'correct these first' }]
}

const tokensIn = (document: unknown): string[] =>
  ['$callers', 'callers']
    .flatMap((key) => Object.values(objectAt(document, key)))
    .flatMap((caller) => [caller, objectOf(caller)['token'], ...Object.values(objectAt(caller, 'tokens'))])
    .filter((token) => typeof token === 'string')

export type FixtureLibrary = ReturnType<typeof createFixtureLibrary>

/** @param resources - Returns the same value for the same contract. @param extra - A file outside the folder, also found by its base name. */
export function createFixtureLibrary(folder: string, resources: () => Resources, extra?: string, isWritable = false) {
  const loaded = new Map<string, { file: string; fingerprint: string; resources: Resources; fixture: Fixture }>()
  const list = async (): Promise<ReadonlyMap<string, string>> => {
    const own = extra === undefined ? [] : [[fixtureName(extra), extra] as const]
    const files = [...(await findFixtureFiles(folder)), ...own]
    return new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
  // A change of the names in the folder may change the file of a name.
  const fingerprint = async (file: string): Promise<string> =>
    (await Promise.all([folder, file].map((path) => statFingerprint(resolve(path))))).join(' ')
  return {
    /** Returns the files by name, sorted by name. */
    list,
    /**
     * Returns the same value as before if the file has not changed, so that sandboxes share its records.
     * @param name - It never becomes part of a path.
     * @throws {DoubleError} `unknown_fixture`.
     * @throws {ProblemsError} The file is invalid.
     */
    load: async (name: string): Promise<Fixture> => {
      const current = resources()
      const earlier = loaded.get(name)
      if (earlier?.resources === current && earlier.fingerprint === (await fingerprint(earlier.file)))
        return earlier.fixture
      const files = await list()
      const file = files.get(name)
      if (file === undefined) throw createError('unknown_fixture', { got: name, known: [...files.keys()] })
      const before = await fingerprint(file)
      const fixture = await loadFixture(file, current)
      loaded.set(name, { file, fingerprint: before, resources: current, fixture })
      return fixture
    },
    /** Writes a fixture into its file, or into a new one in the folder. @throws {DoubleError} `fixtures_not_writable`. @throws The error of Node. */
    save: async (name: string, text: string): Promise<void> => {
      if (!isWritable) throw createError('fixtures_not_writable', undefined)
      const known = (await list()).get(name)
      // The text is JSON, which YAML contains.
      const file = known === undefined ? join(folder, `${name}.json`) : await realpath(known)
      await writeDurably(file, [Buffer.from(text)])
    },
  }
}

/** The time before which generated times lie, if the clock of the double runs: the same start gives the same records on every day. */
const fixedNow = Date.UTC(2026, 0, 1)

/** The last fixtures of each contract, so that sandboxes share their records. */
const madeFor = onceForObject((_resources: Resources) => new Map<string, Promise<Fixture>>())
const maxKept = 4

/** Loads the generator on the first call. @param now - The fixed time of the double, RFC 3339. Default: it runs. */
export function generateFixture(resources: Resources, wanted: GeneratedRecords, now?: string): Promise<Fixture> {
  const { records, seed } = wanted
  const before = now === undefined ? fixedNow : Date.parse(now)
  const key = [records, seed, before].join(' ')
  const kept = madeFor(resources)
  const known = kept.get(key)
  if (known) return known
  const fixture = import('../resources/generated/generate-document.js').then(({ generateDocument }) => {
    const { document, filled } = generateDocument(resources, { records, seed }, before)
    const { name, state } = readInlineFixture(document, resources)
    const origin = { records, seed, sha256: hashOf(document) }
    return { name, state: withOrigin(state, origin), generated: { records, seed, filled } }
  })
  kept.set(key, fixture)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return fixture
}
