/** Loads the contract of the control plane after the start, so that the first request to it does not wait. */
import { setTimeout as wait } from 'node:timers/promises'

import type { Contract, Pause } from '../contract/contract.js'
import { loadContract } from '../contract/load-contract.js'

/** The time from the start to the preparation, milliseconds. A double that runs for less time does not need it. */
const prepareAfterMs = 2000

/** The time between two pauses of the preparation, milliseconds. Requests are served in the pauses. */
const sliceMs = 5

/** The operations whose validators are compiled when the contract is loaded, because each test of a user sends requests to them. */
const prepared: ReadonlySet<string> = new Set(['createSandbox'])

/** The files of the contract of the control plane. */
export interface ControlSpec {
  /** The path of `spec/control.yaml`. */
  readonly file: string
  /** The path of its value as JSON, which `npm run build` writes. */
  readonly valueFile: string
}

/** The contract of the control plane. All doubles of the process share it. */
let loaded: Promise<Contract> | undefined

/**
 * Loads the contract of the control plane, once in a process. Pauses so that requests can be served. The validators of most operations
 * are compiled by the first request to them.
 */
export function loadControlContract(spec: ControlSpec): Promise<Contract> {
  loaded ??= load(spec)
  return loaded
}

async function load({ file, valueFile }: ControlSpec): Promise<Contract> {
  const contract = await loadContract(file, { verifiedValue: valueFile, pause: createPause() })
  for (const operation of contract.operations) if (prepared.has(operation.id)) contract.compileValidators(operation)
  return contract
}

/** Creates a function that pauses after each slice, so that other requests are served. It does not keep the process alive. */
function createPause(): Pause {
  let resumedAt = performance.now()
  return async () => {
    if (performance.now() - resumedAt < sliceMs) return
    await wait(0, undefined, { ref: false })
    resumedAt = performance.now()
  }
}

/**
 * Loads the contract of the control plane in the background, `prepareAfterMs` after the start.
 *
 * @param stopping - Aborted when the double stops. The preparation does not start afterwards.
 */
export function prepareControlContract(spec: ControlSpec, stopping: AbortSignal): void {
  const timer = setTimeout(() => {
    // The first request to the control plane reports the error.
    loadControlContract(spec).catch(() => {})
  }, prepareAfterMs).unref()
  stopping.addEventListener('abort', () => clearTimeout(timer), { once: true })
}
