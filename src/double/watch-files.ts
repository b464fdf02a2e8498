/** Watches files, also when a rename, a new folder or a changed symlink replaces them, and in folders of a network. */
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract } from '../contract/contract.js'
import { statFingerprint } from '../documents/paths.js'
import { sourceExtensions } from '../documents/source.js'

/** The time between two comparisons of files with their fingerprints, milliseconds. */
const intervalMs = 500

/** The time in which no file may change before changes are reported, milliseconds. Editors and git write in several steps. */
const quietMs = 50

/** The watched files, which need not exist, and the folders whose JSON and YAML files are watched. */
export type WatchedPaths = Readonly<Record<'files' | 'folders', readonly string[]>>

/** Does not keep the process alive. @param watched - Returns the paths, which may become others. @param onChange - Called for each file that was written, replaced or removed, or is watched only now, with its absolute path. */
export async function watchFiles(watched: () => WatchedPaths, onChange: (file: string) => unknown) {
  let known = await fingerprintFiles(watched())
  return startLoop(async (signal) => {
    for (;;) {
      await wait(intervalMs, undefined, { ref: false, signal })
      let found = await fingerprintFiles(watched())
      for (let before = known; changesOf(before, found).length > 0;) {
        before = found
        await wait(quietMs, undefined, { ref: false, signal })
        found = await fingerprintFiles(watched())
      }
      const changed = changesOf(known, found)
      known = found
      if (!signal.aborted) for (const file of changed) onChange(file)
    }
  })
}

/** @param loop - Ended by the signal only: a file that cannot be read has a fingerprint, too. @returns Ends it. */
function startLoop(loop: (signal: AbortSignal) => Promise<void>): () => void {
  const stopping = new AbortController()
  loop(stopping.signal).catch(() => {})
  return () => stopping.abort()
}

type Fingerprints = ReadonlyMap<string, string>

const changesOf = (before: Fingerprints, after: Fingerprints): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file))

/** Fingerprints the watched files, by absolute path. Includes missing ones of `files`, and none of a folder that cannot be read. */
async function fingerprintFiles({ files, folders }: WatchedPaths): Promise<Fingerprints> {
  const inFolders = folders.map(async (folder) => {
    const names = await readdir(folder).catch(() => [])
    const kept = names.filter((name) => sourceExtensions.some((extension) => name.endsWith(extension)))
    return kept.map((name) => join(folder, name))
  })
  const paths = new Set([...files, ...(await Promise.all(inFolders)).flat()].map((path) => resolve(path)))
  return new Map(await Promise.all(Array.from(paths, async (path) => [path, await statFingerprint(path)] as const)))
}

/** Waits until it is time to ask again. It rejects when the signal is aborted. */
export type WaitToAsk = (signal: AbortSignal) => Promise<unknown>

/** Does not keep the process alive. @param current - Returns the contract in use. @param onChange - Called once for each change. @returns Stops it. */
export function watchRemote(
  current: () => Contract,
  onChange: () => Promise<unknown>,
  waitToAsk: WaitToAsk = (signal) => wait(60_000, undefined, { ref: false, signal }),
): () => void {
  return startLoop(async (signal) => {
    let { remote } = current()
    let known = remote?.documents ?? []
    for (;;) {
      await waitToAsk(signal)
      const now = current().remote
      if (now !== remote) known = now?.documents ?? []
      remote = now
      const found = (await remote?.askAgain(known, signal)) ?? known
      if (signal.aborted) return
      // A version that cannot be loaded is known too, so it is reported once.
      const isChanged = found !== known
      known = found
      if (isChanged) await onChange()
    }
  })
}
