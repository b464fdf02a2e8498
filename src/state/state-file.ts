/**
 * The state file: read with every check a fixture gets, written so that it always holds one whole state, locked against a second
 * double.
 */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import { describeFileKind, describePathError } from '../documents/path-problem.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { missingIsUndefined, realPath } from '../documents/real-path.js'
import { maxJsonBytes, readSource } from '../documents/source.js'
import { toBytes } from '../resources/document/write.js'
import type { State } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { removeTemporaries, writeDurably } from './durable-file.js'
import { parseFixture } from './fixtures.js'
import { acquireLock } from './lock.js'
import type { StateAdapter } from './store.js'

/** A state file that this process holds. */
export interface StateFile {
  /** For the store. */
  readonly adapter: StateAdapter
  /** Whether it holds a state to go on with. */
  readonly continued: boolean
  /** Lets go of the file, for the next double. */
  release(): Promise<void>
}

/** How the double takes a state file over. */
export interface StateFileOptions {
  readonly resources: Resources
  /** Whether to begin anew, whatever the file holds. */
  readonly fresh: boolean
}

/**
 * Takes hold of a state file, making its folder where there is none.
 *
 * @throws {ProblemsError} Another double holds it, or it cannot be used.
 */
export async function openStateFile(file: string, options: StateFileOptions): Promise<StateFile> {
  const { isThere, lock, real } = await explainFailures(file, async () => {
    await mkdir(dirname(file), { recursive: true })
    const path = await realPath(file)
    // Looked at before anything is made next to it: a FIFO or a device would hold up whoever opens it.
    const stats = await stat(path).catch(missingIsUndefined)
    const reason = stats && describeFileKind(stats)
    if (reason !== undefined) throw new Error(reason)
    return { lock: await acquireLock(path, file), real: path, isThere: stats !== undefined }
  })
  try {
    await removeTemporaries(real)
    const continued = !options.fresh && isThere
    const adapter: StateAdapter = {
      read: async () => (continued ? parseFixture(await readSource(file), options.resources) : null),
      write: async (state) => {
        await lock.ensureHeld()
        await writeDurably(real, readableBytes(state))
      },
    }
    return { adapter, continued, release: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The bytes of a state. @throws {Error} They are more than what the next start would read. */
function readableBytes(state: State): readonly Buffer[] {
  const bytes = toBytes(state)
  if (bytes.reduce((sum, part) => sum + part.length, 0) > maxJsonBytes)
    throw new Error(`it has more than the ${maxJsonBytes} bytes that are read`)
  return bytes
}

async function explainFailures<T>(file: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    const what = `cannot be used: ${describePathError(error)}`
    const problem: Problem = {
      file,
      what,
      hint: 'name a file in a folder that can be written with --state, or keep none with --memory',
    }
    throw new ProblemsError([problem])
  }
}
