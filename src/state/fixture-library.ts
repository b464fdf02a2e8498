/** Finds and loads fixtures by name: those of a folder, and the file that the double was started with. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'

import { createError } from '../http-errors.js'
import type { Resources } from '../resources/resources.js'
import type { Fixture } from './fixtures.js'
import { fixtureName, findFixtureFiles, loadFixture } from './fixtures.js'

/** The fixtures of a double. */
export interface FixtureLibrary {
  /** Returns the files by name, sorted by name. */
  list(): Promise<ReadonlyMap<string, string>>
  /**
   * Loads a fixture. Returns the same value as before if the file has not changed, so that sandboxes share its records.
   *
   * @param name - A name of the list. It never becomes part of a path.
   * @throws {DoubleError} `unknown_fixture`.
   * @throws {ProblemsError} The file is invalid. It has all problems.
   */
  load(name: string): Promise<Fixture>
}

/** The options of `createFixtureLibrary`. */
export interface FixtureLibraryOptions {
  readonly folder: string
  /** A file outside the folder, also found by its base name. */
  readonly extra?: string | undefined
  /** Returns the resources of the current contract: the same value for the same contract. */
  readonly resources: () => Resources
}

/** Creates a library of fixtures. */
export function createFixtureLibrary({ folder, extra, resources }: FixtureLibraryOptions): FixtureLibrary {
  const loaded = new Map<string, LoadedFixture>()
  const list = async (): Promise<ReadonlyMap<string, string>> => {
    const files = [
      ...(await findFixtureFiles(folder)),
      ...(extra === undefined ? [] : [[fixtureName(extra), extra] as const]),
    ]
    return new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
  return {
    list,
    load: async (name) => {
      // Without a change of the file or the folder, the earlier result is still valid.
      const current = resources()
      const earlier = loaded.get(name)
      if (earlier?.resources === current && earlier.fingerprint === (await fingerprint(folder, earlier.file)))
        return earlier.fixture
      const files = await list()
      const file = files.get(name)
      if (file === undefined) throw createError('unknown_fixture', { got: name, known: [...files.keys()] })
      const before = await fingerprint(folder, file)
      const fixture = await loadFixture(file, current)
      if (before !== undefined) loaded.set(name, { file, fingerprint: before, resources: current, fixture })
      return fixture
    },
  }
}

/** A loaded fixture, and the fingerprint of its file. */
interface LoadedFixture {
  readonly file: string
  readonly fingerprint: string
  readonly resources: Resources
  readonly fixture: Fixture
}

/** Creates a fingerprint of a file and the names in its folder. @returns Undefined if one of them cannot be read. */
async function fingerprint(folder: string, file: string): Promise<string | undefined> {
  try {
    const stats = await Promise.all([stat(resolve(folder), { bigint: true }), stat(resolve(file), { bigint: true })])
    const [{ mtimeNs }, { ctimeNs, ino, size }] = stats
    return [mtimeNs, ino, ctimeNs, size].join(' ')
  } catch {
    return undefined
  }
}
