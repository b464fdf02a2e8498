/** Writes the files that flags name. */
import { describePathError } from '../documents/path-problem.js'
import { realPath } from '../documents/real-path.js'
import { writeDurably } from '../state/durable-file.js'
import { refuseInputFile } from './check-flag-paths.js'
import type { FlagName } from './flags.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'

/**
 * Writes the file of a flag as durably as the state: it has either its old or its whole new content. A symlink stays one.
 *
 * @throws {UsageError} It could not be written, or it has become a file that the command reads.
 */
export async function writeOutputFile(parsed: ParsedArguments, flag: FlagName, text: string): Promise<void> {
  const file = parsed.valueOf(flag) ?? ''
  await refuseInputFile(parsed, flag, file)
  try {
    await writeDurably(await realPath(file), [Buffer.from(text)])
  } catch (error) {
    throw new UsageError(`--${flag}: ${file} could not be written: ${describePathError(error)}.`)
  }
}
