/**
 * The state file: read with every check a fixture gets, written so that it always holds one whole state, locked against a second
 * double.
 */
import { mkdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { reasonOf } from '../reason.js'
import { removeTemporaries, writeDurably } from './durable-file.js'
import type { InsightRules } from './fixtures.js'
import { readState } from './fixtures.js'
import { takeLock } from './lock.js'
import { toText } from './state.js'
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
  readonly rules: InsightRules
  /** Whether to begin anew, whatever the file holds. */
  readonly fresh: boolean
}

/**
 * Takes hold of a state file, making its folder where there is none.
 *
 * @throws {ProblemsError} Another double holds it, or it cannot be used.
 */
export async function holdStateFile(file: string, options: StateFileOptions): Promise<StateFile> {
  const { lock, real } = await inFolder(file, async () => {
    await mkdir(dirname(file), { recursive: true })
    const path = await realPath(file)
    return { lock: await takeLock(path, file), real: path }
  })
  try {
    await removeTemporaries(real)
    const continued = !options.fresh && (await exists(file))
    const adapter: StateAdapter = {
      read: async () => (continued ? readState(await readSource(file), options.rules) : null),
      write: async (state) => {
        await lock.confirm()
        await writeDurably(real, toText(state))
      },
    }
    return { adapter, continued, release: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The file by the one path that every name of it leads to, whether it is there yet or not. */
async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch {
    const target = await readlink(file).catch(() => undefined)
    if (target !== undefined) return realPath(resolve(dirname(file), target))
    return join(await realpath(dirname(file)), basename(file))
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

async function inFolder<T>(file: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    const what = `cannot be used: ${reasonOf(error)}`
    const problem: Problem = {
      file,
      what,
      remedy: 'name a file in a folder that can be written with --state, or keep none with --memory',
    }
    throw new ProblemsError([problem])
  }
}
