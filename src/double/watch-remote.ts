/** Watches the documents of a spec from a URL: asks for them again, with the version that is known. */
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract } from '../contract/contract.js'

/** The time between two questions, milliseconds. */
const intervalMs = 60_000

/** Waits until it is time to ask again. It rejects when the signal is aborted. */
export type WaitToAsk = (signal: AbortSignal) => Promise<unknown>

const waitAMinute: WaitToAsk = (signal) => wait(intervalMs, undefined, { ref: false, signal })

/** Does not keep the process alive. @param current - Returns the contract in use. @param onChange - Called once for each change. @returns Stops it. */
export function watchRemote(
  current: () => Contract,
  onChange: () => Promise<unknown>,
  waitToAsk: WaitToAsk = waitAMinute,
): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  const watch = async (): Promise<void> => {
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
  }
  // Only the signal ends the loop.
  watch().catch(() => {})
  return () => stopping.abort()
}
