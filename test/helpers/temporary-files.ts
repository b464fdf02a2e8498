/** Creates temporary files and folders. Those of a test are removed at its end. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'

/** Creates an empty folder. It is removed at the end of the test. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file in a new folder. @returns Its path. */
export async function writeTemporary(t: ExecutionContext, name: string, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), name)
  await writeFile(file, text)
  return file
}

/** Replaces a file in one step: a double that watches it reads it once, and whole. A file that is written in place may be read before. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}~new`, text)
  await rename(`${file}~new`, file)
}

/** A temporary folder of a script. `await using` removes it. */
export interface Folder extends AsyncDisposable {
  readonly path: string
}

/** Creates an empty folder. @param within - The parent folder. Default: the system's temporary folder. */
export async function createTemporaryFolder(within = tmpdir()): Promise<Folder> {
  const path = await mkdtemp(join(within, 'insights-double-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}
