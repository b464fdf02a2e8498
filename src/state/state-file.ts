import { readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import lockfile from 'proper-lockfile'

import { createFolder, removeTemporaryFiles, writeDurably } from '../documents/durable-file.js'
import { pathProblem, realPath, statFile } from '../documents/paths.js'
import { ProblemsError } from '../documents/problem.js'
import { maxJsonBytes, readSource } from '../documents/source.js'
import { errorCode } from '../error-message.js'
import { isThreadAlive, ownPid, ownThread } from '../node-process.js'
import { toBytes } from '../resources/document/write.js'
import type { State } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { parseFixture } from './fixtures.js'
import type { StateAdapter } from './store.js'

export type StateFile = Awaited<ReturnType<typeof lockStateFile>>

/** Creates the folder if it is missing. @returns `continued`: the store continues the state of the file. @throws {ProblemsError} Another double has it, or the path cannot be used. */
export async function lockStateFile(file: string, resources: Resources, fresh: boolean) {
  const hint = 'name a file in a writable folder with --state, or use none with --memory'
  const { exists, lock, realFile } = await lockFile(file).catch(pathProblem(file, 'cannot be used', hint))
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

async function lockFile(file: string) {
  await createFolder(dirname(file))
  const realFile = await realPath(file)
  return { exists: (await statFile(realFile)) !== undefined, lock: await acquireLock(realFile, file), realFile }
}

const heartbeatMs = 2500

/** The age of the last heartbeat after which a holder on another machine counts as ended, milliseconds. */
const staleMs = 10_000

/** Longer than any double runs, milliseconds. */
const neverMs = 1e12

/** The longest wait for a starting double to write its holder file, milliseconds. */
const holderFileMs = 2000

interface Holder {
  readonly pid: number
  readonly host: string
  /** The value of `ownThread` in that thread. */
  readonly thread: string
}

const lockedFiles = new Set<string>()

/** @param file - The real path of the file. @param shownFile - For messages. @throws {ProblemsError} A running thread holds the lock. */
export async function acquireLock(file: string, shownFile: string) {
  let release: (() => Promise<void>) | undefined
  const lock = async (): Promise<void> => {
    release = await lockfile.lock(file, {
      realpath: false,
      // `takeOver` decides which holders have ended. Only one process can do that at a time.
      stale: neverMs,
      update: heartbeatMs,
      onCompromised: () => (release = undefined),
    })
    lockedFiles.add(file)
    await writeFile(holderFile(file), JSON.stringify(self))
  }
  try {
    await lock()
  } catch (error) {
    if (!isLocked(error)) throw error
    await takeOver(file, shownFile, lock)
  }
  return {
    /** Acquires a lost lock again: the folder was moved, or the machine was suspended. @throws {Error} Another holds the lock, or acquiring it fails. */
    ensureHeld: async (): Promise<void> => {
      if (release) return
      const holder = await readHolder(file, 0)
      if (holder && !isSelf(holder)) throw new Error(`another double has taken over ${shownFile}`)
      await rmdir(lockFolder(file)).catch(() => {})
      await lock()
    },
    release: async (): Promise<void> => {
      lockedFiles.delete(file)
      if (!release) return
      await rm(holderFile(file), { force: true })
      // The lock may have been lost in the meantime, for example because its folder was deleted.
      await release?.()
    },
  }
}

/** Takes over the lock of a process that has ended. A second lock prevents two processes from removing each other's lock. */
async function takeOver(file: string, shownFile: string, lock: () => Promise<void>): Promise<void> {
  // Use another path: proper-lockfile keeps one lock for each path.
  const release = await lockfile.lock(`${file}.takeover`, {
    realpath: false,
    stale: staleMs,
    retries: { retries: 20, minTimeout: 50 },
  })
  try {
    const holder = await readHolder(file)
    if (await isHolding(file, holder)) throw inUse(shownFile, holder)
    await rm(holderFile(file), { force: true })
    await rmdir(lockFolder(file)).catch(() => {})
    await lock()
  } catch (error) {
    throw isLocked(error) ? inUse(shownFile, await readHolder(file)) : error
  } finally {
    await release()
  }
}

/** Tells whether a holder still runs. Of a holder on another machine, only the heartbeat is known. */
async function isHolding(file: string, holder: Holder | undefined): Promise<boolean> {
  if (holder && isSelf(holder)) return lockedFiles.has(file)
  const isAlive = holder?.host === self.host ? isThreadAlive(holder.pid, holder.thread) : undefined
  if (isAlive !== undefined) return isAlive
  const lock = await stat(lockFolder(file)).catch(() => undefined)
  return lock !== undefined && Date.now() - lock.mtimeMs < staleMs
}

const self: Holder = { pid: ownPid, host: hostname(), thread: ownThread }

const isSelf = (holder: Holder): boolean => isDeepStrictEqual(holder, self)

/** Reads the holder file. Waits until it is complete. @returns Undefined after the time limit. */
async function readHolder(file: string, withinMs: number = holderFileMs): Promise<Holder | undefined> {
  for (let waited = 0; ; waited += 50) {
    const text = await readFile(holderFile(file), 'utf8').catch(() => '')
    const [, pid, host, thread] = /^\{"pid":(\d+),"host":"([^"]*)","thread":"([^"]*)"\}$/u.exec(text) ?? []
    if (pid !== undefined && host !== undefined && thread !== undefined) return { pid: Number(pid), host, thread }
    if (waited >= withinMs) return undefined
    await wait(50)
  }
}

const holderFile = (file: string): string => `${file}.holder`

const lockFolder = (file: string): string => `${file}.lock`

const isLocked = (error: unknown): boolean => errorCode(error) === 'ELOCKED'

function inUse(file: string, holder: Holder | undefined): ProblemsError {
  const name = holder
    ? `the double with pid ${holder.pid}${holder.host === self.host ? '' : ` on ${holder.host}`}`
    : 'another double'
  const hint = 'stop that double, or name another file with --state, or use none with --memory'
  return new ProblemsError([{ file, what: `is in use by ${name}`, hint }])
}
