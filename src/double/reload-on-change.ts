/** Reloads the spec, its overlay, the handlers and the fixture of a running double when their files change. */
import { resolve } from 'node:path'

import type { DoubleOptions } from '../options.js'
import { defaultFixtures, defaultSpec } from '../package-files.js'
import { diffStates } from '../resources/records/diff.js'
import { handlersPath } from '../resources/user-handlers/load-handlers.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import type { FixtureLibrary } from '../state/fixture-library.js'
import type { Fixture } from '../state/fixtures.js'
import { loadFixture } from '../state/fixtures.js'
import type { LoadedService, LoadListeners } from './load-service-plane.js'
import { loadServicePlane } from './load-service-plane.js'
import { migrateStates } from './migrate-states.js'
import { watchFiles } from './watch-files.js'

/**
 * Called when a changed file was reloaded, or with the reason why it was not.
 *
 * @param undone - Number of records of the root that a changed fixture has reset. 0 for any other file.
 */
export type OnReload = (file: string, problem: Error | undefined, undone: number) => void

/** The running double that a reload changes. */
export interface ReloadTarget {
  readonly library: FixtureLibrary
  readonly sandboxes: Sandboxes
  /** Replaces the service. */
  readonly setService: (next: LoadedService) => void
  readonly onReload: OnReload | undefined
}

/**
 * Watches the spec, its overlay, the handlers and the fixtures, and reloads a changed file. After an error, the previous version stays in use.
 *
 * A changed spec keeps the states of all sandboxes. A changed fixture resets the root, if it is the fixture of the root's last reset.
 * A fixture that was refused is tried again when the spec, its overlay or the handlers change, because they may have been the reason.
 *
 * @returns A function that stops the watch. The watch is active when the promise resolves.
 */
export function reloadOnChange(
  options: DoubleOptions & Pick<LoadListeners, 'onFailure'>,
  { library, onReload, sandboxes, setService }: ReloadTarget,
): Promise<() => Promise<void>> {
  const { fixtures = defaultFixtures, fixture, handlers, overlay, spec = defaultSpec } = options
  const optional = [overlay, handlers && handlersPath(handlers)]
  const ofContract = [spec, ...optional.filter((path) => path !== undefined)]
  const { root } = sandboxes
  /** The root's fixture when a changed version of it was refused. A reset replaces the root's fixture. */
  let refused: Fixture | undefined
  /** Reloads a file. @returns The number of undone changes. Undefined: the double does not use the file. */
  const reload = async (file: string): Promise<number | undefined> => {
    const { name } = root.fixture
    const current = name === null ? undefined : (await library.list()).get(name)
    const isFixture = current !== undefined && resolve(current) === file
    if (!isFixture && !ofContract.some((path) => file === resolve(path))) return undefined
    const isReset = isFixture || (current !== undefined && refused === root.fixture)
    // Until the reset is done.
    if (isReset) refused = root.fixture
    const next = await loadServicePlane({ ...options, onProgress: undefined })
    // A changed spec must also fit the fixture, or the next reset would fail.
    const loaded = current === undefined ? root.fixture : await loadFixture(current, next.resources)
    if (isReset) {
      setService(next)
      const undone = countChanges(root)
      await root.reset(loaded)
      return undone
    }
    await root.store.flush()
    // Do not await between these steps: a request would see the new contract with the old state.
    const commit = migrateStates([root, ...sandboxes.list()], next)
    setService(next)
    await commit()
    return 0
  }
  const reportError = (file: string, error: unknown): void =>
    onReload?.(file, error instanceof Error ? error : new Error(String(error)), 0)
  let last = Promise.resolve()
  const onChange = (file: string): void => {
    const previous = last
    const reloadInOrder = async (): Promise<void> => {
      // A slow reload must not undo a later one.
      await previous
      try {
        const undone = await reload(file)
        if (undone !== undefined) onReload?.(file, undefined, undone)
      } catch (error) {
        reportError(file, error)
      }
    }
    last = reloadInOrder()
  }
  return watchFiles({
    files: typeof fixture === 'string' ? [...ofContract, fixture] : ofContract,
    folders: [fixtures],
    onChange,
    onError: (error) => reportError(resolve(fixtures), error),
  })
}

/** Counts the records that were added, removed or changed since the last reset. */
const countChanges = ({ baseline, store }: Sandbox): number =>
  Object.values(diffStates(baseline.state, store.pending, 0))
    .flatMap(({ counts }) => Object.values(counts ?? {}))
    .reduce((sum, count) => sum + count, 0)
