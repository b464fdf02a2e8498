/** Finds the contract that a user means by a folder. */
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'

import { isUrl } from '../addresses.js'
import { isObject } from '../documents/object.js'
import { findStats, pathProblem } from '../documents/paths.js'
import { ProblemsError } from '../documents/problem.js'
import { readSource, sourceExtensions } from '../documents/source.js'

/**
 * In a folder, the contract is `openapi.*` or `swagger.*`, else the only JSON or YAML file with the keyword `openapi` or `swagger` at its top.
 * @returns The file. What is not a folder as it is, whether it exists or not.
 * @throws {ProblemsError} The folder has not exactly one contract.
 */
export async function findSpec(place: string): Promise<string> {
  if (isUrl(place) || !(await findStats(place))?.isDirectory()) return place
  const refusal = (what: string, hint: string): ProblemsError => new ProblemsError([{ file: place, what, hint }])
  const unreadable = pathProblem(place, 'cannot be read', 'check the path and its permissions')
  const names = await readdir(place).catch(unreadable)
  const files = names.filter((name) => sourceExtensions.includes(extname(name))).toSorted()
  const usual = files.filter((name) => /^(?:openapi|swagger)\./u.test(name))
  const isStarted = await Promise.all((usual.length > 0 ? [] : files).map((name) => startsContract(join(place, name))))
  const found = usual.length > 0 ? usual : files.filter((_, index) => isStarted[index])
  const [only] = found
  if (only === undefined)
    throw refusal(
      'cannot be read: it is a folder without a contract',
      'name a file; a folder needs openapi.yaml, or one JSON or YAML file with openapi or swagger at its top',
    )
  if (found.length > 1)
    throw refusal(`cannot be read: it is a folder with ${found.length} contracts`, `name one of ${found.join(', ')}`)
  return join(place, only)
}

/** Tells whether a document says of itself that it is a contract. */
export const isContract = (value: unknown): boolean =>
  isObject(value) && (Object.hasOwn(value, 'openapi') || Object.hasOwn(value, 'swagger'))

/** A file that cannot be read is no contract. */
const startsContract = async (file: string) => isContract((await readSource(file).catch(() => undefined))?.value)
