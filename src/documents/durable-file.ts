/**
 * After a crash at any time, a file has either the whole old content or the whole new content: that is written to a new temporary file with the
 * mode and owner of the old file, which is flushed and renamed, then the folder is flushed.
 */
import { randomInt } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { errorCode } from '../error-message.js'
import { missingIsUndefined } from './paths.js'

/**
 * @param file - Not a symlink: the rename would replace the link. @param parts - They are written without being copied.
 * @throws The error of Node. The file then has its old content, unless flushing the folder failed.
 */
export async function writeDurably(file: string, parts: readonly Buffer[]): Promise<void> {
  const temporary = `${file}.${randomInt(2 ** 48 - 1)}`
  const old = await stat(file).catch(() => undefined)
  try {
    {
      // `wx` fails for an existing file or link.
      await using handle = await open(temporary, 'wx', old?.mode)
      // Only root can change the owner, so this may fail.
      if (old) await handle.chown(old.uid, old.gid).catch(() => {})
      if (old) await handle.chmod(old.mode)
      await writeParts(handle, parts)
      await handle.sync()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await using folder = await open(dirname(file), 'r')
  await folder.sync()
}

/** The maximum number of parts in one call: Linux and macOS accept no more. */
const maxParts = 1024

/** Writes all parts in order. One call of `writev` may write less than it was given. */
async function writeParts(handle: FileHandle, parts: readonly Buffer[]): Promise<void> {
  let left = parts.filter(({ length }) => length > 0)
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left.slice(0, maxParts))
    let count = bytesWritten
    let written = 0
    while (written < left.length && count >= (left[written]?.length ?? 0)) count -= left[written++]?.length ?? 0
    const [first, ...rest] = left.slice(written)
    left = first ? [first.subarray(count), ...rest] : []
  }
}

/** Creates a folder and those above it. Node's `recursive` never calls back for a folder below `/proc`. @throws The error of Node. */
export async function createFolder(folder: string): Promise<void> {
  if (await stat(folder).catch(missingIsUndefined)) return
  const parent = dirname(folder)
  if (parent !== folder) await createFolder(parent)
  await mkdir(folder).catch((error: unknown) => {
    // Another process may have created it.
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

/** Removes the temporary files of a process that was killed during a write. Only the holder of the file's lock may call it. */
export async function removeTemporaryFiles(file: string): Promise<void> {
  const prefix = `${basename(file)}.`
  const isTemporary = (name: string): boolean => name.startsWith(prefix) && /^\d+$/u.test(name.slice(prefix.length))
  const names = (await readdir(dirname(file))).filter(isTemporary)
  await Promise.all(names.map((name) => rm(join(dirname(file), name), { force: true })))
}
