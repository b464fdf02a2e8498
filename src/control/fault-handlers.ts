/** Handles the operations on faults: list, add, remove. */
import { createError } from '../errors.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { AdminHandler } from './admin-types.js'

/** Returns the faults that still affect requests. */
export const listFaults: AdminHandler = ({ sandbox }) => ({ body: sandbox.faults.list() })

/** Adds a fault. */
export const addFault: AdminHandler = ({ body, double, sandbox }) => {
  // The contract has validated the body as a FaultRequest.
  const request = body as FaultRequest
  const known = double.service().contract.operations.map(({ id }) => id)
  if (request.operation !== undefined && !known.includes(request.operation)) {
    throw createError('unknown_operation', { got: request.operation, known })
  }
  if (request.status !== undefined && request.disconnect === true) {
    throw createError('invalid_fault', { reason: 'a connection that is cut has no status; give status or disconnect' })
  }
  if (request.status === undefined && request.disconnect !== true && !request.delayMs) {
    throw createError('invalid_fault', { reason: 'nothing would go wrong; give status, delayMs or disconnect' })
  }
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
