/** Prepares the control plane after the start, so that the first request to it does not wait for that. */
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract, Pause } from '../contract/contract.js'
import { loadContract } from '../contract/load.js'

/** How long after the start the preparation begins, milliseconds. A double that lives for less than that does without. */
const beginAfterMs = 500

/** The preparation pauses once it has run for so long, milliseconds. Requests that have arrived are served in the pause. */
const pieceMs = 5

/** Creates a pause that lets waiting requests through, at most once every 5 milliseconds. It does not keep the process alive. */
function createPause(): Pause {
  let resumedAt = performance.now()
  return async () => {
    if (performance.now() - resumedAt < pieceMs) return
    await wait(0, undefined, { ref: false })
    resumedAt = performance.now()
  }
}

/** Loads the contract of the control plane and compiles its validators, piece by piece. */
export async function loadControl(spec: string): Promise<Contract> {
  const pause = createPause()
  const contract = await loadContract(spec, pause)
  for (const operation of contract.operations) {
    contract.warm(operation)
    await pause()
  }
  return contract
}

/**
 * Loads the control plane once the double has been serving for a moment.
 *
 * @param load - Loads it, at most once. A request may have done so before.
 * @param stopping - Aborted when the double stops. Nothing is begun any more then.
 */
export function prepareControl(load: () => Promise<unknown>, stopping: AbortSignal): void {
  const timer = setTimeout(() => {
    // A request that needs what could not be loaded reports the reason.
    load().catch(() => {})
  }, beginAfterMs).unref()
  stopping.addEventListener('abort', () => clearTimeout(timer), { once: true })
}
