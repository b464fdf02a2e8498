/** Finds what a path leads to, also by symlinks, and why it cannot be used. */
import { stat as statWithCallback, type Stats } from 'node:fs'
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

import { errorCode, errorMessage } from '../error-message.js'
import { ProblemsError } from './problem.js'

/** The maximum number of links followed to a file that does not exist. The system limits links to existing files. */
const maxLinks = 40

/** The file need not exist, but its folder must. @throws {Error} Links form a cycle or lead to a missing folder, or Node cannot resolve the path. */
export async function realPath(file: string, links = maxLinks): Promise<string> {
  const existing = await realpath(file).catch(missingIsUndefined)
  if (existing !== undefined) return existing
  const folder = await realpath(dirname(file))
  const target = await readlink(file).catch(() => undefined)
  if (target === undefined || links === 0) return join(folder, basename(file))
  const next = resolve(folder, target)
  return realPath(next, links - 1).catch((error: unknown) => {
    if (!isMissing(error)) throw error
    throw new Error(`it is a symlink to ${next}, whose folder does not exist`, { cause: error })
  })
}

/** Tells whether two paths name the same file, also by links. False if one of them names none. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const stats = [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined))
  const [first, second] = await Promise.all(stats)
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino
}

/** Returns undefined for ENOENT. @throws Every other error. */
export function missingIsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** Follows symlinks. @returns Undefined: there is nothing, or it cannot be reached. */
export const findStats = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined)

export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT'

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EEXIST', 'a part of its path is a file, not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its symlinks form a cycle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'it is on a read-only file system'],
])

/** Describes why a path cannot be used, as the end of a sentence, such as `permission denied`. */
export const describePathError = (error: unknown): string => reasons.get(errorCode(error)) ?? errorMessage(error)

/** Returns a function that throws the problem of a path that cannot be used. A `ProblemsError` stays as it is. @param what - Such as `cannot be read`. */
export const pathProblem =
  (file: string, what: string, hint: string) =>
  (error: unknown): never => {
    if (error instanceof ProblemsError) throw error
    throw new ProblemsError([{ file, what: `${what}: ${describePathError(error)}`, hint }])
  }

/** Call it before a file is opened: opening a FIFO blocks until another process opens it, and a device may be endless. @returns Undefined: there is no file. @throws {Error} It is no regular file, or its path cannot be used. */
export async function statFile(path: string): Promise<Stats | undefined> {
  const stats = await stat(path).catch(missingIsUndefined)
  if (!stats || stats.isFile()) return stats
  if (stats.isDirectory()) throw new Error('it is a folder')
  throw new Error(`it is a ${stats.isFIFO() ? 'FIFO' : stats.isSocket() ? 'socket' : 'device'}, not a file`)
}

/** With device, inode and change time: two files may have one time and size. @returns `none`: it cannot be read. */
export function statFingerprint(path: string): Promise<string> {
  // `stat` of `fs/promises` takes twice the time.
  return new Promise((settle) =>
    statWithCallback(path, { bigint: true }, (error, stats) =>
      settle(error ? 'none' : [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')),
    ),
  )
}
