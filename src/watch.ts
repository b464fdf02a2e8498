/** Watches folders for files that change. */
import { existsSync, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** How long a file has to be left alone before it counts as written, milliseconds. Editors write in several steps. */
const quietMs = 50

/**
 * Calls back when a file in one of the folders was written, replaced or removed.
 *
 * Folders are watched rather than files: an editor that saves by renaming would take a watched file away.
 *
 * @param paths - Files, or folders with a slash at the end; the folder of each is watched.
 * @returns What stops it.
 */
export function watchFolders(paths: readonly string[], onChange: (file: string) => void): () => void {
  const timers = new Map<string, NodeJS.Timeout>()
  const folders = new Set(paths.map((path) => resolve(path.endsWith('/') ? path : dirname(path))))
  const watchers = [...folders]
    .filter((folder) => existsSync(folder))
    .map((folder) =>
      watch(folder, { persistent: false }, (_event, name) => {
        if (name === null) return
        const file = resolve(folder, name)
        clearTimeout(timers.get(file))
        const timer = setTimeout(() => onChange(file), quietMs)
        timers.set(file, timer)
      }),
    )
  return () => {
    for (const watcher of watchers) watcher.close()
    for (const timer of timers.values()) clearTimeout(timer)
  }
}
