/** Temporary files, and those of the package, read without the code of the double. What a test creates is removed at its end. */
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { ExecutionContext } from 'ava'

import { asList, asObject, type JsonObject } from './as-object-or-list.js'

/** Creates an empty folder. It is removed at the end of the test. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'insights-double-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file in a new folder. @param content - An object is written as JSON. @returns Its path. */
export async function writeTemporary(t: ExecutionContext, name: string, content: string | object): Promise<string> {
  const file = join(await temporaryFolder(t), name)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** Writes files below a folder, by their paths. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
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

export const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Reads a file of the package as text. */
export const readPackageFile = async (path: string): Promise<string> => readPackageFileSync(path)

/** Reads a file of the package as text, before tests are declared: AVA accepts no test that is declared after an `await`. */
export const readPackageFileSync = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

export const readSpec = async (): Promise<JsonObject> => readPackageYaml('spec/insights.yaml')

/** Reads a YAML or JSON file of the package whose content is an object. */
export async function readPackageYaml(path: string): Promise<JsonObject> {
  // Loaded on first use: most test files do not need it.
  const { parse } = await import('yaml')
  return asObject(parse(await readPackageFile(path)))
}

export const readFixture = async (file: string): Promise<JsonObject> => readPackageYaml(`fixtures/${file}`)

/** Returns the records of a fixture that a caller has access to: in the order of the file, with ids and without `$access`. */
export const visibleIn = (fixture: JsonObject, caller: string): readonly JsonObject[] =>
  asList(fixture['insights']).flatMap((record, index) => {
    const { $access: access, ...insight } = asObject(record)
    if (access !== undefined && !asList(access).includes(caller)) return []
    return [{ id: `insight-${index + 1}`, ...insight }]
  })

export async function writeExecutable(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  await chmod(file, 0o755)
}

/** Reads the ids in a state file without the code of the double. */
export const idsOnDisk = async (file: string): Promise<readonly unknown[]> =>
  asList(asObject(JSON.parse(await readFile(file, 'utf8')))['insights']).map((record) => asObject(record)['id'])
