/** Watches files, and follows them through whatever replaces them: a rename, a folder made again, a symlink that leads elsewhere. */
import { basename, join } from 'node:path'

import type { FSWatcher } from 'chokidar'

import { errorMessage } from './error-message.js'
import { placementOf, stampsOf } from './placement.js'

/** How long nothing must have changed before files are looked at, milliseconds. Editors and git write in several steps. */
const quietMs = 50

/** What to watch, and who is told. */
export interface WatchOptions {
  /** Files, whether they are there or not. */
  readonly files: readonly string[]
  /** Folders, each for the files in it. */
  readonly folders: readonly string[]
  /** Called once for each file whose content was written, replaced or removed, with its absolute path. */
  readonly onChange: (file: string) => void
  /** Called when a folder cannot be watched. */
  readonly onError: (error: Error) => void
}

/**
 * Watches files and the files of folders. Watching alone does not keep the process alive.
 *
 * What the system reports is only taken as a hint to look: which file changed is found by comparing what is there with what was.
 *
 * @returns What stops it. It is watched when this returns.
 */
export async function watchFiles(options: WatchOptions): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar')
  let stamps = await stampsOf(options)
  let watchers: readonly FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let isStopped = false

  const hint = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      looking = looking.then(look)
    }, quietMs)
  }
  const close = async (): Promise<void> => void (await Promise.all(watchers.map((watcher) => watcher.close())))
  /** Watches the folders as they are now. Those that were replaced have the same names, and often the same inode numbers. */
  const arm = async (): Promise<void> => {
    const { isRelevant, names } = await placementOf(options)
    await close()
    if (isStopped) return
    // One watcher a folder: one for all of them loses a folder that lies in another.
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
        .on('all', hint)
        // What has the same names as before, such as a folder that another replaced, is no event of chokidar's own.
        .on('raw', (_event, name: string | null) => {
          // Without a name, as some systems report, anything may have changed; a folder's own name is said of itself.
          if (name === null || name === basename(folder) || isRelevant(join(folder, name))) hint()
        })
        .on('error', (error) => options.onError(new Error(`cannot be watched: ${errorMessage(error)}`))),
    )
    // Not by events.once, which an error on the way would reject.
    await Promise.all(watchers.map((watcher) => new Promise<void>((resolve) => watcher.once('ready', () => resolve()))))
  }
  /** @returns Whether a file has changed, and changes still matter. */
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
  const look = async (): Promise<void> => {
    await compare()
    // Something may change before the new watch begins, a folder on the way to it included.
    do await arm()
    while (await compare())
  }
  await look()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await close()
  }
}
