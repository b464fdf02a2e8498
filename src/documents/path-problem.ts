import type { Stats } from 'node:fs'

import { errorCode, errorMessage } from '../error-message.js'

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
export function describePathError(error: unknown): string {
  const code = errorCode(error)
  return reasons.get(code) ?? errorMessage(error)
}

/** Opening a FIFO blocks until another process opens it, and a device may be endless. @returns The end of a sentence. Undefined for a regular file. */
export function describeFileKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'it is a folder'
  if (stats.isFIFO()) return 'it is a FIFO, not a file'
  if (stats.isSocket()) return 'it is a socket, not a file'
  return 'it is a device, not a file'
}
