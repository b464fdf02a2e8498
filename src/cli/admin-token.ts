import { readFile, stat } from 'node:fs/promises'

import { describeFileKind, describePathError } from '../documents/path-problem.js'
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
  const text = await readToken(file).catch((error: unknown) => {
    throw refusal(describePathError(error))
  })
  const token = text.trim()
  if (token === '') throw refusal('it is empty')
  return token
}

async function readToken(file: string): Promise<string> {
  const kind = describeFileKind(await stat(file))
  if (kind !== undefined) throw new Error(kind)
  return readFile(file, 'utf8')
}
