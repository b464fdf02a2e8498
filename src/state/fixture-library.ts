/** The fixtures that a double can go back to, by name: those of a folder, and the file it was started with. */
import { stat } from 'node:fs/promises'

import { createError } from '../errors.js'
import type { Resources } from '../resources/resources.js'
import type { Fixture } from './fixtures.js'
import { fixtureName, listFixtures, loadFixture } from './fixtures.js'

/** Finds fixtures by name. */
export interface FixtureLibrary {
  /** Names and files, in the order of names. */
  list(): Promise<ReadonlyMap<string, string>>
  /**
   * Loads a fixture. An unchanged file gives the same value again, so that whoever uses it shares its records.
   *
   * @param name - Only what the listing has is looked up; nothing of it ever becomes part of a path.
   * @throws {DoubleError} `unknown_fixture`.
   * @throws {ProblemsError} Everything that is wrong with the file.
   */
  load(name: string): Promise<Fixture>
}

/** How to find fixtures. */
export interface FixtureLibraryOptions {
  readonly folder: string
  /** A file outside of the folder that goes by its base name too. */
  readonly extra?: string | undefined
  /** The resources of the contract as it is now. The same value for the same contract. */
  readonly resources: () => Resources
}

/** Makes a library. */
export function createFixtureLibrary({ folder, extra, resources }: FixtureLibraryOptions): FixtureLibrary {
  const loaded = new Map<string, Loaded>()
  const list = async (): Promise<ReadonlyMap<string, string>> => {
    const files = [
      ...(await listFixtures(folder)),
      ...(extra === undefined ? [] : [[fixtureName(extra), extra] as const]),
    ]
    return new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }
  return {
    list,
    load: async (name) => {
      // Where neither the file nor the listing has changed, the name need not be looked up again.
      const own = resources()
      const known = loaded.get(name)
      if (known?.resources === own && known.stamp === (await stampOf(folder, known.file))) return known.fixture
      const files = await list()
      const file = files.get(name)
      if (file === undefined) throw createError('unknown_fixture', { got: name, known: [...files.keys()] })
      const stamp = await stampOf(folder, file)
      const fixture = await loadFixture(file, own)
      if (stamp !== undefined) loaded.set(name, { file, stamp, resources: own, fixture })
      return fixture
    },
  }
}

/** A fixture that was loaded, and what it was like then. */
interface Loaded {
  readonly file: string
  readonly stamp: string
  readonly resources: Resources
  readonly fixture: Fixture
}

/** What changes when a file does, or the names in the folder. Undefined: one cannot be read. */
async function stampOf(folder: string, file: string): Promise<string | undefined> {
  try {
    const stats = await Promise.all([stat(folder, { bigint: true }), stat(file, { bigint: true })])
    const [{ mtimeNs }, { ctimeNs, ino, size }] = stats
    return [mtimeNs, ino, ctimeNs, size].join(' ')
  } catch {
    return undefined
  }
}
