import { randomInt } from 'node:crypto'
import { constants, open, readdir, readFile, unlink } from 'node:fs/promises'

import { writeDurably } from '../documents/durable-file.js'
import { describePathError, findStats, isSameFile, realPath, statFile } from '../documents/paths.js'
import { environmentVariable } from '../node-process.js'
import { defaultFixtures, defaultSpec } from '../package-files.js'
import { handlersPath } from '../resources/user-handlers/load-handlers.js'
import { findFixtureFiles } from '../state/fixtures.js'
import { commandsOf, type FlagName, flags, UsageError } from './flags.js'
import { findGivenSpec, type ParsedArguments } from './parse-arguments.js'

/** Returns a function that throws the error of a path that cannot be used. @param wanted - What the flag must name, such as `file that can be read`. */
export const refusePath =
  (flag: FlagName, wanted: string, path: string) =>
  (error: unknown): never => {
    throw new UsageError(`--${flag} must name a ${wanted}, got "${path}": ${describePathError(error)}.`)
  }

/** Checks that a folder can be read. @throws {UsageError} It cannot. */
export async function checkFolder(flag: FlagName, path: string): Promise<void> {
  await readdir(path).catch(refusePath(flag, 'folder that can be read', path))
}

/** Reads a file that must exist and be regular. @throws {UsageError} It cannot be read. */
export async function readFlagFile(flag: FlagName, path: string, wanted = 'file that can be read'): Promise<Buffer> {
  const refuse = refusePath(flag, wanted, path)
  await statFile(path).catch(refuse)
  return readFile(path).catch(refuse)
}

/**
 * Creates and removes a file next to that of a flag: in some folders, such as `/sys`, none can be created although the permissions allow it.
 * @returns The path. Undefined: the flag is not given.
 * @throws {UsageError} It cannot be written, or the command reads it.
 */
export async function checkOutputFile(parsed: ParsedArguments, flag: FlagName): Promise<string | undefined> {
  const path = parsed.valueOf(flag)
  if (path === undefined) return undefined
  try {
    const real = await realPath(path)
    if (await statFile(real)) await (await open(real, constants.O_WRONLY)).close()
    const neighbour = `${real}.${randomInt(2 ** 48 - 1)}`
    await (await open(neighbour, 'wx')).close()
    await unlink(neighbour)
  } catch (error) {
    refusePath(flag, 'file that can be written', path)(error)
  }
  await refuseInputFile(parsed, flag, path)
  return path
}

/** Checks that the command does not read a file that it would replace, also by another name of it. @throws {UsageError} It does. */
async function refuseInputFile(parsed: ParsedArguments, flag: FlagName, path: string): Promise<void> {
  for (const [input, file] of await inputFiles(parsed))
    // `--apply` extends the overlay.
    if (!(flag === 'apply' && input === 'overlay') && (await isSameFile(path, file)))
      throw new UsageError(
        `--${flag} must not replace a file that the command reads, got "${path}", which is ${input === 'spec' && !parsed.isSpecByFlag ? `the contract ${file}` : `${file} of --${input}`}.`,
      )
}

async function inputFiles(parsed: ParsedArguments): Promise<readonly (readonly [FlagName, string])[]> {
  const { command, valueOf } = parsed
  const spec = await findGivenSpec(parsed).catch(() => undefined)
  const defaults: Partial<Record<FlagName, string>> = { spec: defaultSpec, fixtures: defaultFixtures }
  const named = (['spec', 'overlay', 'handlers', 'fixture', 'state', 'fixtures'] as const).flatMap((flag) => {
    const byDefault = commandsOf(flags[flag]).includes(command) ? defaults[flag] : undefined
    const file = (flag === 'spec' ? spec : undefined) ?? valueOf(flag) ?? byDefault
    return file === undefined ? [] : [[flag, flag === 'handlers' ? handlersPath(file) : file] as const]
  })
  const [, folder] = named.find(([flag]) => flag === 'fixtures') ?? []
  const none = new Map<string, string>()
  const inFolder = folder === undefined ? none : await findFixtureFiles(folder).catch(() => none)
  return [...named, ...[...inFolder.values()].map((file) => ['fixtures', file] as const)]
}

/** Checks that a file can be written, and does not exist unless `--force` is given. @throws {UsageError} */
export async function checkOutputFileIsNew(parsed: ParsedArguments, flag: FlagName): Promise<void> {
  const file = await checkOutputFile(parsed, flag)
  if (file !== undefined && !parsed.isGiven('force') && (await findStats(file)))
    throw new UsageError(`--${flag}: ${file} exists. Use --force to replace it.`)
}

/** Writes as durably as the state. A symlink stays one. @throws {UsageError} It could not be written, or has become a file that the command reads. */
export async function writeOutputFile(parsed: ParsedArguments, flag: FlagName, text: string, path?: string) {
  const file = path ?? parsed.valueOf(flag) ?? ''
  await refuseInputFile(parsed, flag, file)
  try {
    await writeDurably(await realPath(file), [Buffer.from(text)])
  } catch (error) {
    throw new UsageError(`--${flag}: ${file} could not be written: ${describePathError(error)}.`)
  }
}

/** Finds the admin token: the flag, else the file, else the environment variable. No message has it. @throws {UsageError} The file has none. */
export async function findAdminToken({ valueOf }: Pick<ParsedArguments, 'valueOf'>): Promise<string | undefined> {
  const given = valueOf('admin-token')
  const file = valueOf('admin-token-file')
  if (given !== undefined) return given
  if (file === undefined) return environmentVariable('INSIGHTS_DOUBLE_ADMIN_TOKEN')
  const wanted = 'file with the admin token'
  const token = (await readFlagFile('admin-token-file', file, wanted)).toString().trim()
  return token === '' ? refusePath('admin-token-file', wanted, file)(new Error('it is empty')) : token
}
