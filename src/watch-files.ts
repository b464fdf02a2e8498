/** Watches files, also when a rename, a new folder or a changed symlink replaces them. */
import { basename, join } from 'node:path'

import type { FSWatcher } from 'chokidar'

import { errorMessage } from './error-message.js'
import { placementOf, stampsOf } from './placement.js'

/** The time without events before files are compared, milliseconds. Editors and git write in several steps. */
const quietMs = 50

/** The options of `watchFiles`. */
export interface WatchOptions {
  /** Files to watch. They need not exist. */
  readonly files: readonly string[]
  /** Folders whose files are watched. */
  readonly folders: readonly string[]
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
  let stamps = await stampsOf(options)
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
  /** Watches the current folders. Replaced folders have the same names, and often the same inode numbers. */
  const rewatch = async (): Promise<void> => {
    const { isRelevant, names } = await placementOf(options)
    await close()
    if (isStopped) return
    // One watcher for each folder: a single one for all loses nested folders.
    watchers = [...names.keys()].map((folder) =>
      watch(folder, {
        persistent: false,
        ignoreInitial: true,
        ignorePermissionErrors: true,
        followSymlinks: false,
        depth: 0,
        atomic: false,
        ignored: (path) => path !== folder && !isRelevant(path),
      })
        .on('all', scheduleComparison)
        // chokidar emits no `all` event if the names stay the same, such as when another folder replaces one.
        .on('raw', (_event, name: string | null) => {
          // Some systems report no name: any file may have changed. A folder's own name means the folder itself.
          if (name === null || name === basename(folder) || isRelevant(join(folder, name))) scheduleComparison()
        })
        .on('error', (error) => options.onError(new Error(`cannot be watched: ${errorMessage(error)}`))),
    )
    // Do not use events.once: an error event would reject it.
    await Promise.all(watchers.map((watcher) => new Promise<void>((resolve) => watcher.once('ready', () => resolve()))))
  }
  /** Reports changed files. @returns Whether a file has changed and the watch is active. */
  const compare = async (): Promise<boolean> => {
    const before = stamps
    stamps = await stampsOf(options)
    const changed = [...new Set([...before.keys(), ...stamps.keys()])].filter(
      (file) => before.get(file) !== stamps.get(file),
    )
    if (isStopped) return false
    for (const file of changed) options.onChange(file)
    return changed.length > 0
  }
  const compareAndRewatch = async (): Promise<void> => {
    await compare()
    // Files or folders may change before the new watch is active.
    do await rewatch()
    while (await compare())
  }
  await compareAndRewatch()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await close()
  }
}
