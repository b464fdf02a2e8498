/** Checks the paths of flags before the command starts. */
import { constants, open, readdir, stat, unlink } from 'node:fs/promises'

import { describeFileKind, describePathError } from '../documents/path-problem.js'
import { missingIsUndefined, realPath } from '../documents/real-path.js'
import type { FlagName } from './flags.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Checks that a folder can be read. @throws {UsageError} It cannot. */
export async function checkFolder(flag: FlagName, path: string): Promise<void> {
  await readdir(path).catch((error: unknown) => {
    throw new UsageError(`--${flag} must name a folder that can be read, got "${path}": ${describePathError(error)}.`)
  })
}

/**
 * Checks that a file can be written. A file that does not exist is created and removed: in some folders, such as `/sys`, no file
 * can be created although the permissions allow it.
 *
 * @throws {UsageError} It cannot be written.
 */
export async function checkOutputFile(flag: FlagName, path: string): Promise<void> {
  try {
    const real = await realPath(path)
    const stats = await stat(real).catch(missingIsUndefined)
    const reason = stats && describeFileKind(stats)
    if (reason !== undefined) throw new Error(reason)
    const flags = stats ? constants.O_WRONLY : constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    await (await open(real, flags)).close()
    if (!stats) await unlink(real)
  } catch (error) {
    throw new UsageError(`--${flag} must name a file that can be written, got "${path}": ${describePathError(error)}.`)
  }
}

/** Checks that a file can be written, and does not exist unless `--force` is given. @throws {UsageError} */
export async function checkOutputFileIsNew({ isGiven, valueOf }: ParsedArguments, flag: FlagName): Promise<void> {
  const file = valueOf(flag)
  if (file === undefined) return
  await checkOutputFile(flag, file)
  const exists = await stat(file).then(
    () => true,
    () => false,
  )
  if (exists && !isGiven('force')) throw new UsageError(`--${flag}: ${file} exists. Use --force to replace it.`)
}
