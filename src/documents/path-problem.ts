import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'

import { errorCode, errorMessage } from '../error-message.js'
import { missingIsUndefined } from './real-path.js'

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

/** Call it before a file is opened: opening a FIFO blocks until another process opens it, and a device may be endless. @returns Undefined: there is no file. @throws {Error} It is no regular file, or its path cannot be used. */
export async function statFile(path: string): Promise<Stats | undefined> {
  const stats = await stat(path).catch(missingIsUndefined)
  if (!stats || stats.isFile()) return stats
  if (stats.isDirectory()) throw new Error('it is a folder')
  throw new Error(`it is a ${stats.isFIFO() ? 'FIFO' : stats.isSocket() ? 'socket' : 'device'}, not a file`)
}
