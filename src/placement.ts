/** Where files are: the folders and symlinks on the way to them, and what tells one content from the next. */
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, join, parse, resolve, sep } from 'node:path'

import { sourceExtensions } from './documents/source.js'

/** Files, and folders for the files in them. */
export interface Watched {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

/** The folders that have to be watched to hear of everything that replaces a file. */
export interface Placement {
  /** Each folder that is there, and the names in it that lead on. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether a path in one of the folders leads on, or is a file of a watched folder. */
  isRelevant(path: string): boolean
}

/** How many symlinks are followed from one path. */
const maxLinks = 40

/** Finds the folders on the way to files and folders. Each symlink is followed; what is not there yet ends the way. */
export async function placementOf({ files, folders }: Watched): Promise<Placement> {
  const names = new Map<string, Set<string>>()
  const whole = new Set<string>()
  const walk = async (path: string, isFolder: boolean, links = 0): Promise<void> => {
    const { root } = parse(path)
    let folder = root
    const segments = path.slice(root.length).split(sep).filter(Boolean)
    for (const [index, name] of segments.entries()) {
      // What stands in the root is not replaced while a double serves, and a watcher of the root sees nothing.
      if (folder !== root) names.set(folder, (names.get(folder) ?? new Set()).add(name))
      const place = join(folder, name)
      const stats = await lstat(place).catch(() => undefined)
      if (stats?.isSymbolicLink()) {
        const target = await readlink(place).catch(() => undefined)
        if (target === undefined || links === maxLinks) return
        await walk(resolve(folder, target, ...segments.slice(index + 1)), isFolder, links + 1)
        return
      }
      if (!stats?.isDirectory()) return
      folder = place
    }
    if (!isFolder) return
    whole.add(folder)
    names.set(folder, names.get(folder) ?? new Set())
    for (const file of await filesIn(folder)) {
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

/** What changes with a file's content, by absolute path. A file that is not there is in it only where it was asked for by name. */
export async function stampsOf({ files, folders }: Watched): Promise<ReadonlyMap<string, string>> {
  const inFolders = await Promise.all(folders.map((folder) => filesIn(resolve(folder))))
  const paths = [...new Set([...files.map((file) => resolve(file)), ...inFolders.flat()])]
  return new Map(await Promise.all(paths.map(async (path) => [path, await stampOf(path)] as const)))
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => sourceExtensions.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name))
}

async function stampOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ') : 'none'
}
