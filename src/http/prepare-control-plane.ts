/** Prepares the control plane after the start, so that the first request to it does not wait for that. */
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract, Pause } from '../contract/contract.js'
import { loadContract } from '../contract/load-contract.js'

/** How long after the start the preparation begins, milliseconds. A double that lives for less than that does without. */
const beginAfterMs = 2000

/** The preparation pauses once it has run for so long, milliseconds. Requests that have arrived are served in the pause. */
const pieceMs = { idle: 5, awaited: 50 }

/** The contract of the control plane, which every double of the process shares. */
let loaded: Promise<Contract> | undefined

/** Whether a request waits for it. */
let isAwaited = false

/** Loads the contract of the control plane and compiles its validators, once for the process. Requests wait for no more than a part. */
export function loadControl(spec: string, { forRequest }: { readonly forRequest: boolean }): Promise<Contract> {
  isAwaited ||= forRequest
  loaded ??= load(spec)
  return loaded
}

async function load(spec: string): Promise<Contract> {
  const pause = createPause()
  const contract = await loadContract(spec, pause)
  for (const operation of contract.operations) {
    contract.compileValidators(operation)
    await pause()
  }
  return contract
}

/** Creates a pause that lets waiting requests through. It does not keep the process alive. */
function createPause(): Pause {
  let resumedAt = performance.now()
  return async () => {
    if (performance.now() - resumedAt < (isAwaited ? pieceMs.awaited : pieceMs.idle)) return
    await wait(0, undefined, { ref: false })
    resumedAt = performance.now()
  }
}

/**
 * Loads the control plane once the double has been serving for a moment.
 *
 * @param stopping - Aborted when the double stops. Nothing is begun any more then.
 */
export function prepareControl(spec: string, stopping: AbortSignal): void {
  const timer = setTimeout(() => {
    // A request that needs what could not be loaded reports the reason.
    loadControl(spec, { forRequest: false }).catch(() => {})
  }, beginAfterMs).unref()
  stopping.addEventListener('abort', () => clearTimeout(timer), { once: true })
}
