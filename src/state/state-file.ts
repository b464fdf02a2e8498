import { dirname } from 'node:path'

import { createFolder, removeTemporaryFiles, writeDurably } from '../documents/durable-file.js'
import { describePathError, statFile } from '../documents/path-problem.js'
import { ProblemsError } from '../documents/problem.js'
import { realPath } from '../documents/real-path.js'
import { maxJsonBytes, readSource } from '../documents/source.js'
import { toBytes } from '../resources/document/write.js'
import type { State } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { parseFixture } from './fixtures.js'
import { acquireLock } from './lock.js'
import type { StateAdapter } from './store.js'

export interface StateFile {
  readonly adapter: StateAdapter
  /** True if the store continues the state of the file. */
  readonly continued: boolean
  release(): Promise<void>
}

/** Creates the folder if it is missing. @throws {ProblemsError} Another double has locked the file, or the path cannot be used. */
export async function lockStateFile(file: string, resources: Resources, fresh: boolean): Promise<StateFile> {
  const { exists, lock, realFile } = await explainFailures(file, async () => {
    await createFolder(dirname(file))
    const path = await realPath(file)
    const stats = await statFile(path)
    return { lock: await acquireLock(path, file), realFile: path, exists: stats !== undefined }
  })
  try {
    await removeTemporaryFiles(realFile)
    const continued = !fresh && exists
    const adapter: StateAdapter = {
      read: async () => (continued ? parseFixture(await readSource(file), resources) : null),
      write: async (state) => {
        await lock.ensureHeld()
        await writeDurably(realFile, serialize(state))
      },
    }
    return { adapter, continued, release: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function serialize(state: State): readonly Buffer[] {
  const parts = toBytes(state)
  if (parts.reduce((sum, part) => sum + part.length, 0) > maxJsonBytes)
    throw new Error(`the state has more than ${maxJsonBytes} bytes, so the double could not read it again`)
  return parts
}

async function explainFailures<T>(file: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    const what = `cannot be used: ${describePathError(error)}`
    const hint = 'name a file in a writable folder with --state, or use none with --memory'
    throw new ProblemsError([{ file, what, hint }])
  }
}
