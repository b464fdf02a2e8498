/** Follows symlinks, also to a file that is not there yet. */
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** How many links to files that are not there yet are followed. Those to files that are there are bounded by the system. */
const maxLinks = 40

/**
 * Finds the one path of a file that every name of it leads to. The file need not be there yet, but its folder must be.
 *
 * @throws {Error} Links lead in a circle, or into a folder that is not there; or what Node says of the path.
 */
export async function realPath(file: string, links = maxLinks): Promise<string> {
  const whole = await realpath(file).catch(missingIsUndefined)
  if (whole !== undefined) return whole
  const folder = await realpath(dirname(file))
  const target = await readlink(file).catch(() => undefined)
  if (target === undefined || links === 0) return join(folder, basename(file))
  const next = resolve(folder, target)
  try {
    return await realPath(next, links - 1)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new Error(`it is a symlink to ${next}, whose folder is not there`, { cause: error })
  }
}

/** Takes an error that says that there is no such file for undefined. @throws Every other error. */
export function missingIsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** Whether an error says that there is no such file. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
