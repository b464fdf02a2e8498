/** Handles the operations on faults: list, add, remove. */
import { createError } from '../http-errors.js'
import { deepFreeze } from '../resources/json.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { AdminHandler } from './admin-handler-types.js'
import { checkFault } from './check-fault.js'

/** Returns the faults that still affect requests. */
export const listFaults: AdminHandler = ({ sandbox }) => ({ body: sandbox.faults.list() })

/** Adds a fault. */
export const addFault: AdminHandler = ({ body, double, sandbox }) => {
  // The contract has validated the body as a FaultRequest.
  const request = deepFreeze(body as FaultRequest)
  const callers = sandbox.store.pending.callers.map(({ name }) => name)
  checkFault(request, double.service().contract.operations, callers)
  const fault = sandbox.faults.prepare(request)
  return { body: fault, commit: () => sandbox.faults.add(fault) }
}

/** Removes one fault. */
export const removeFault: AdminHandler = ({ parameters, sandbox }) => {
  const id = String(parameters['id'])
  if (!sandbox.faults.list().some((fault) => fault.id === id)) throw createError('unknown_fault', { id })
  return { commit: () => void sandbox.faults.remove(id) }
}

/** Removes every fault. */
export const clearFaults: AdminHandler = ({ sandbox }) => ({ commit: () => sandbox.faults.clear() })
