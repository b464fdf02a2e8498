/** Reads files of the package, such as its spec, without the code of the double. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { JsonObject } from './as-object-or-list.js'
import { asObject } from './as-object-or-list.js'

/** Reads a file of the package as text. */
export const readPackageFile = async (path: string): Promise<string> => readPackageFileSync(path)

/** Reads a file of the package as text, before tests are declared: AVA accepts no test that is declared after an `await`. */
export const readPackageFileSync = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

/** Reads the spec of the package. */
export async function readSpec(): Promise<JsonObject> {
  return readPackageYaml('spec/insights.yaml')
}

/** Reads a YAML or JSON file of the package whose content is an object. */
export async function readPackageYaml(path: string): Promise<JsonObject> {
  // Loaded on first use: most test files do not need it.
  const { parse } = await import('yaml')
  return asObject(parse(await readPackageFile(path)))
}
