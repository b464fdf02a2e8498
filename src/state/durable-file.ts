/**
 * Writes a file so that it holds the old content or the new one, whole, whenever the process or the machine stops.
 *
 * The content goes to a temporary file that nobody else has, which is flushed to disk, takes over mode and owner, and is renamed; the
 * folder is flushed last.
 */
import { randomInt } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The largest number in the name of a temporary file. */
const maxSerial = 2 ** 48 - 1

/**
 * Replaces the content of a file.
 *
 * @param file - No symlink: what it is renamed over would be the link.
 * @param parts - The content, in parts: they are written as they are, and not copied into one.
 * @throws What Node says; then the file has its old content, unless it was the folder that could not be flushed.
 */
export async function writeDurably(file: string, parts: readonly Buffer[]): Promise<void> {
  const temporary = `${file}.${randomInt(maxSerial)}`
  const old = await stat(file).catch(() => undefined)
  try {
    // `wx` neither takes over a file that is there nor follows a link.
    const handle = await open(temporary, 'wx', old?.mode)
    try {
      if (old) await takeOver(handle, old)
      await writeWhole(handle, parts)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

/** Most parts that are written at a time: Linux and macOS take no more. */
const maxParts = 1024

/** Writes parts one after the other. The system may write less than it was given. */
async function writeWhole(handle: FileHandle, parts: readonly Buffer[]): Promise<void> {
  let left = parts.filter(({ length }) => length > 0)
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left.slice(0, maxParts))
    let count = bytesWritten
    let whole = 0
    while (whole < left.length && count >= (left[whole]?.length ?? 0)) count -= left[whole++]?.length ?? 0
    const [first, ...rest] = left.slice(whole)
    left = first ? [first.subarray(count), ...rest] : []
  }
}

/** Takes over what the file had. Its owner may be one that only root could give it back to. */
async function takeOver(
  handle: FileHandle,
  { gid, mode, uid }: { gid: number; mode: number; uid: number },
): Promise<void> {
  await handle.chown(uid, gid).catch(() => {})
  await handle.chmod(mode)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Removes the temporary files of a process that was killed while it wrote. Only whoever alone may write the file may. */
export async function removeTemporaries(file: string): Promise<void> {
  const prefix = `${basename(file)}.`
  const isTemporary = (name: string): boolean => name.startsWith(prefix) && /^\d+$/u.test(name.slice(prefix.length))
  const names = (await readdir(dirname(file))).filter(isTemporary)
  await Promise.all(names.map((name) => rm(join(dirname(file), name), { force: true })))
}
