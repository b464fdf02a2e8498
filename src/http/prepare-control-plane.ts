/** Loads the control plane after the start, so that the first request to it does not wait. */
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract, Pause } from '../contract/contract.js'
import { loadContract } from '../contract/load-contract.js'

/** The time from the start to the preparation, milliseconds. A double that runs for less time does not need it. */
const prepareAfterMs = 2000

/** The time between two pauses of the preparation, milliseconds. Requests are served in the pauses. */
const sliceMs = { idle: 5, awaited: 50 }

/** The contract of the control plane. All doubles of the process share it. */
let loaded: Promise<Contract> | undefined

/** True if a request waits for the contract. */
let isAwaited = false

/** Loads the contract of the control plane and compiles its validators, once in a process. Pauses so that requests can be served. */
export function loadControl(spec: string, { forRequest }: { readonly forRequest: boolean }): Promise<Contract> {
  isAwaited ||= forRequest
  loaded ??= load(spec)
  return loaded
}

async function load(spec: string): Promise<Contract> {
  const pause = createPause()
  const contract = await loadContract(spec, { pause })
  for (const operation of contract.operations) {
    contract.compileValidators(operation)
    await pause()
  }
  return contract
}

/** Creates a function that waits for other requests once a slice has passed. It does not keep the process alive. */
function createPause(): Pause {
  let resumedAt = performance.now()
  return async () => {
    if (performance.now() - resumedAt < (isAwaited ? sliceMs.awaited : sliceMs.idle)) return
    await wait(0, undefined, { ref: false })
    resumedAt = performance.now()
  }
}

/**
 * Loads the control plane in the background, `prepareAfterMs` after the start.
 *
 * @param stopping - Aborted when the double stops. The preparation does not start afterwards.
 */
export function prepareControl(spec: string, stopping: AbortSignal): void {
  const timer = setTimeout(() => {
    // The first request to the control plane reports the error.
    loadControl(spec, { forRequest: false }).catch(() => {})
  }, prepareAfterMs).unref()
  stopping.addEventListener('abort', () => clearTimeout(timer), { once: true })
}
