/** Watches files, also when a rename, a new folder or a changed symlink replaces them. */
import { basename, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import type { FSWatcher, watch as chokidarWatch } from 'chokidar'

import { statFingerprint } from '../documents/stat-fingerprint.js'
import { errorMessage } from '../error-message.js'
import type { WatchedFolders, WatchedPaths } from './watched-folders.js'
import { findWatchedFolders, listJsonAndYamlFiles } from './watched-folders.js'

/** The time without events before files are compared, milliseconds. Editors and git write in several steps. */
const quietMs = 50

/** The time in which watchers must be ready, milliseconds. */
const readyWithinMs = 2000

/** The options of `watchFiles`. */
export interface WatchOptions extends WatchedPaths {
  /** Called once for each file whose content was written, replaced or removed, with its absolute path. */
  readonly onChange: (file: string) => void
  /** Called when a folder cannot be watched. */
  readonly onError: (error: Error) => void
}

/**
 * Watches files and the files of folders. Does not keep the process alive.
 *
 * Events only start a comparison: a file has changed if its fingerprint differs from the one before.
 *
 * @returns A function that stops the watch. The watch is active when the promise resolves.
 */
export async function watchFiles(options: WatchOptions): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar')
  let fingerprints = await fingerprintFiles(options)
  let watchers: readonly FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let comparing: Promise<void> = Promise.resolve()
  let isStopped = false

  const scheduleComparison = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      comparing = comparing.then(compareAndRewatch)
    }, quietMs)
  }
  const close = async (): Promise<void> => void (await Promise.all(watchers.map((watcher) => watcher.close())))
  /** Watches folders. Replaced folders have the same names, and often the same inode numbers. */
  const rewatch = async ({ isRelevant, names }: WatchedFolders): Promise<void> => {
    await close()
    if (isStopped) return
    watchers = [...names.keys()].map((folder) =>
      watchFolder(watch, folder, { isRelevant, onEvent: scheduleComparison, onError: options.onError }),
    )
    // chokidar may never emit `ready` for a folder that changes while it is read. The next comparison creates new watchers.
    if (!(await areReady(watchers))) scheduleComparison()
  }
  /** Reports changed files. @returns Whether a file has changed and the watch has not stopped. */
  const compare = async (): Promise<boolean> => {
    const before = fingerprints
    fingerprints = await fingerprintFiles(options)
    const changed = [...new Set([...before.keys(), ...fingerprints.keys()])].filter(
      (file) => before.get(file) !== fingerprints.get(file),
    )
    if (isStopped) return false
    for (const file of changed) options.onChange(file)
    return changed.length > 0
  }
  const compareAndRewatch = async (): Promise<void> => {
    await compare()
    for (let isCurrent = false; !isCurrent;) {
      const found = await findWatchedFolders(options)
      await rewatch(found)
      // A file may have changed, or a folder or link may have appeared, before the new watch was active.
      isCurrent = !(await compare()) && isDeepStrictEqual((await findWatchedFolders(options)).names, found.names)
    }
  }
  await compareAndRewatch()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await close()
  }
}

/** Watches one folder. A single watcher for all folders loses nested ones. */
const watchFolder = (
  watch: typeof chokidarWatch,
  folder: string,
  {
    isRelevant,
    onError,
    onEvent,
  }: Pick<WatchOptions, 'onError'> & Pick<WatchedFolders, 'isRelevant'> & { readonly onEvent: () => void },
): FSWatcher =>
  watch(folder, {
    persistent: false,
    ignoreInitial: true,
    ignorePermissionErrors: true,
    followSymlinks: false,
    depth: 0,
    atomic: false,
    ignored: (path) => path !== folder && !isRelevant(path),
  })
    .on('all', onEvent)
    // chokidar emits no `all` event if the names stay the same, such as when another folder replaces one.
    .on('raw', (_event, name: string | null) => {
      // Some systems report no name: any file may have changed. A folder's own name means the folder itself.
      if (name === null || name === basename(folder) || isRelevant(join(folder, name))) onEvent()
    })
    .on('error', (error) => onError(new Error(`cannot be watched: ${errorMessage(error)}`)))

/** Waits until all watchers are ready. @returns False if one is not ready within the limit. */
async function areReady(watchers: readonly FSWatcher[]): Promise<boolean> {
  // Do not use events.once: an error event would reject it.
  const ready = watchers.map((watcher) => new Promise<void>((settle) => watcher.once('ready', () => settle())))
  const limit = new AbortController()
  const result = await Promise.race([
    Promise.all(ready).then(() => true),
    delay(readyWithinMs, false, { signal: limit.signal }),
  ])
  limit.abort()
  return result
}

/** Fingerprints the watched files, by absolute path. Includes missing files of `files`, not those of `folders`. */
async function fingerprintFiles({ files, folders }: WatchedPaths): Promise<ReadonlyMap<string, string>> {
  const inFolders = await Promise.all(folders.map((folder) => listJsonAndYamlFiles(resolve(folder))))
  const paths = [...new Set([...files.map((file) => resolve(file)), ...inFolders.flat()])]
  return new Map(await Promise.all(paths.map(async (path) => [path, await statFingerprint(path)] as const)))
}
