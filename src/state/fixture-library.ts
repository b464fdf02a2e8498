/** The fixtures that a double can go back to, by name: those of a folder, and the file it was started with. */
import { stat } from 'node:fs/promises'

import { failure } from '../errors.js'
import type { Fixture, InsightRules } from './fixtures.js'
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
  /** The rules of the contract as it is now. The same value for the same contract. */
  readonly rules: () => InsightRules
}

/** Makes a library. */
export function createFixtureLibrary({ folder, extra, rules }: FixtureLibraryOptions): FixtureLibrary {
  const loaded = new Map<string, { stamp: string; rules: InsightRules; fixture: Fixture }>()
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
      const files = await list()
      const file = files.get(name)
      if (file === undefined) throw failure('unknown_fixture', { got: name, known: [...files.keys()] })
      const stamp = await stat(file, { bigint: true }).then(
        ({ mtimeNs, size }) => `${mtimeNs} ${size}`,
        () => '',
      )
      const known = loaded.get(file)
      if (known?.stamp === stamp && known.rules === rules()) return known.fixture
      const fixture = await loadFixture(file, rules())
      loaded.set(file, { stamp, rules: rules(), fixture })
      return fixture
    },
  }
}
