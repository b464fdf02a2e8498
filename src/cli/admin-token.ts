import { readFile } from 'node:fs/promises'

import { describePathError, statFile } from '../documents/path-problem.js'
import { environmentVariable } from '../node-process.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Finds the admin token: the flag, else the file, else the environment variable. No message has it. @throws {UsageError} The file has none. */
export async function findAdminToken({ valueOf }: Pick<ParsedArguments, 'valueOf'>): Promise<string | undefined> {
  const given = valueOf('admin-token')
  const file = valueOf('admin-token-file')
  if (given !== undefined) return given
  if (file === undefined) return environmentVariable('INSIGHTS_DOUBLE_ADMIN_TOKEN')
  const refusal = (reason: string): UsageError =>
    new UsageError(`--admin-token-file must name a file with the admin token, got "${file}": ${reason}.`)
  const read = statFile(file).then(() => readFile(file, 'utf8'))
  const text = await read.catch((error: unknown) => {
    throw refusal(describePathError(error))
  })
  const token = text.trim()
  if (token === '') throw refusal('it is empty')
  return token
}
