/** Finds the folders to watch, so that every replacement of a file, folder or symlink on a path is noticed. */
import { lstat, readdir, readlink } from 'node:fs/promises'
import { dirname, join, parse, resolve, sep } from 'node:path'

import { sourceExtensions } from '../documents/source.js'

/** The watched files, and the folders whose files are watched. */
export interface WatchedPaths {
  /** Files to watch. They need not exist. */
  readonly files: readonly string[]
  /** Folders whose files are watched. */
  readonly folders: readonly string[]
}

/** The folders to watch. */
export interface WatchedFolders {
  /** The existing folders, each with the names in it that are part of a watched path. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>
  /** Tells whether an entry of one of the folders is part of a watched path, or is a file of a watched folder. */
  isRelevant(path: string): boolean
}

/** The most symlinks that are followed from one path. */
const maxLinks = 40

/** Finds the folders on the paths of files and folders. Follows symlinks. A path ends at its first missing part. */
export async function findWatchedFolders({ files, folders }: WatchedPaths): Promise<WatchedFolders> {
  const names = new Map<string, Set<string>>()
  const whole = new Set<string>()
  const walk = async (target: string, isFolder: boolean, links = 0): Promise<void> => {
    const { root } = parse(target)
    let folder = root
    const segments = target.slice(root.length).split(sep).filter(Boolean)
    for (const [index, name] of segments.entries()) {
      // A watcher of the root directory reports nothing, and its entries are not replaced while a double runs.
      if (folder !== root) names.set(folder, (names.get(folder) ?? new Set()).add(name))
      const path = join(folder, name)
      const stats = await lstat(path).catch(() => undefined)
      if (stats?.isSymbolicLink()) {
        const link = await readlink(path).catch(() => undefined)
        if (link === undefined || links === maxLinks) return
        await walk(resolve(folder, link, ...segments.slice(index + 1)), isFolder, links + 1)
        return
      }
      if (!stats?.isDirectory()) return
      folder = path
    }
    if (!isFolder) return
    whole.add(folder)
    names.set(folder, names.get(folder) ?? new Set())
    for (const file of await listJsonAndYamlFiles(folder)) {
      const stats = await lstat(file).catch(() => undefined)
      if (stats?.isSymbolicLink()) await walk(file, false, links)
    }
  }
  for (const file of files) await walk(resolve(file), false)
  for (const folder of folders) await walk(resolve(folder), true)
  return {
    names,
    isRelevant: (path) => {
      const folder = dirname(path)
      return whole.has(folder) || names.get(folder)?.has(path.slice(folder.length).replace(sep, '')) === true
    },
  }
}

/** Lists the JSON and YAML files of a folder. Returns none if the folder cannot be read. */
export async function listJsonAndYamlFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => sourceExtensions.some((extension) => name.endsWith(extension)))
    .map((name) => join(folder, name))
}
