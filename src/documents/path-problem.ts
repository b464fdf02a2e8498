/** Says in words why a path cannot be used. */
import type { Stats } from 'node:fs'

import { errorMessage } from '../error-message.js'

/** Node's error codes for paths that cannot be used. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EEXIST', 'a part of its path is a file, not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its symlinks lead in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'it is on a read-only file system'],
])

/** Why a path cannot be used: the rest of a sentence, such as `permission denied`. */
export function describePathError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons.get(code) ?? errorMessage(error)
}

/**
 * Why something is not a regular file: the rest of a sentence, such as `it is a FIFO`. Opening a FIFO waits for somebody at its other end,
 * and a device may never come to an end.
 *
 * @returns Undefined for a regular file.
 */
export function describeFileKind(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'it is a folder'
  if (stats.isFIFO()) return 'it is a FIFO, not a file'
  if (stats.isSocket()) return 'it is a socket, not a file'
  return 'it is a device, not a file'
}
