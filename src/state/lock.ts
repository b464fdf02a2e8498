/**
 * The lock that keeps a second double from a state file.
 *
 * proper-lockfile holds it and shows a sign of life every few seconds, which also reaches other machines. Beside it stands who holds
 * it, so that a second double can name the process, and so that the lock of a process that was killed is taken over at once.
 */
import { readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

import lockfile from 'proper-lockfile'

import { ProblemsError } from '../documents/problem.js'
import { isProcessAlive, ownPid } from '../node-process.js'

/** A lock that this process holds. */
export interface Lock {
  /**
   * Makes sure of the lock. It may have been lost to a folder that was moved away, or while the machine was suspended.
   *
   * @throws {Error} Another process has it by now, or it cannot be had again.
   */
  ensureHeld(): Promise<void>
  release(): Promise<void>
}

/** How often a holder shows a sign of life, milliseconds. */
const signOfLifeMs = 2500

/** How long after its last sign of life a holder that cannot be looked up counts as gone, milliseconds. */
const staleMs = 10_000

/** Longer than any double lives, milliseconds. */
const neverMs = 1e12

/** How long to wait for a double that is just starting to write down who it is, milliseconds. */
const introductionMs = 2000

interface Holder {
  readonly pid: number
  readonly host: string
}

const heldHere = new Set<string>()

/**
 * Takes the lock of a file.
 *
 * @param file - By the one path that every name of it leads to.
 * @param shown - As the user named it.
 * @throws {ProblemsError} A living process holds it; the problem names its pid.
 */
export async function acquireLock(file: string, shown: string): Promise<Lock> {
  let release: (() => Promise<void>) | undefined
  const take = async (): Promise<void> => {
    release = await lockfile.lock(file, {
      realpath: false,
      // Who is gone is decided below, where only one can decide it at a time.
      stale: neverMs,
      update: signOfLifeMs,
      onCompromised: () => (release = undefined),
    })
    heldHere.add(file)
    await writeFile(holderFile(file), JSON.stringify({ pid: ownPid, host: hostname() } satisfies Holder))
  }
  try {
    await take()
  } catch (error) {
    if (!isLocked(error)) throw error
    await takeOver(file, shown, take)
  }
  return {
    ensureHeld: async () => {
      if (release) return
      const holder = await readHolder(file, 0)
      if (holder && !isSelf(holder)) throw new Error(`another double took ${shown} over`)
      await rmdir(lockFolder(file)).catch(() => {})
      await take()
    },
    release: async () => {
      heldHere.delete(file)
      if (!release) return
      await rm(holderFile(file), { force: true })
      await release()
    },
  }
}

/** Takes the lock of a process that is gone. Only one may at a time, or two would each remove the other's. */
async function takeOver(file: string, shown: string, take: () => Promise<void>): Promise<void> {
  // Under a name of its own: the library keeps one lock a name.
  const leave = await lockfile.lock(`${file}.takeover`, {
    realpath: false,
    stale: staleMs,
    retries: { retries: 20, minTimeout: 50 },
  })
  try {
    const holder = await readHolder(file)
    if (await isHolding(file, holder)) throw heldBy(shown, holder)
    await rm(holderFile(file), { force: true })
    await rmdir(lockFolder(file)).catch(() => {})
    await take()
  } catch (error) {
    throw isLocked(error) ? heldBy(shown, await readHolder(file)) : error
  } finally {
    await leave()
  }
}

async function isHolding(file: string, holder: Holder | undefined): Promise<boolean> {
  if (holder?.host === hostname()) return isSelf(holder) ? heldHere.has(file) : isProcessAlive(holder.pid)
  const lock = await stat(lockFolder(file)).catch(() => undefined)
  return lock !== undefined && Date.now() - lock.mtimeMs < staleMs
}

const isSelf = ({ host, pid }: Holder): boolean => pid === ownPid && host === hostname()

/** @returns Undefined where nobody says so in time. */
async function readHolder(file: string, withinMs: number = introductionMs): Promise<Holder | undefined> {
  for (let waited = 0; ; waited += 50) {
    const text = await readFile(holderFile(file), 'utf8').catch(() => '')
    const [, pid, host] = /^\{"pid":(\d+),"host":"([^"]*)"\}$/u.exec(text) ?? []
    if (pid !== undefined && host !== undefined) return { pid: Number(pid), host }
    if (waited >= withinMs) return undefined
    await wait(50)
  }
}

const holderFile = (file: string): string => `${file}.holder`

const lockFolder = (file: string): string => `${file}.lock`

const isLocked = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ELOCKED'

function heldBy(file: string, holder: Holder | undefined): ProblemsError {
  const who = holder
    ? `the double with pid ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`}`
    : 'another double'
  return new ProblemsError([
    {
      file,
      what: `is in use by ${who}`,
      hint: 'stop that double, or name another file with --state, or keep none with --memory',
    },
  ])
}
