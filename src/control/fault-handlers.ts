/** Control of faults: add, list, remove. */
import { failure } from '../errors.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { ControlHandler } from './control.js'

/** The faults that are not spent. */
export const listFaults: ControlHandler = ({ sandbox }) => ({ body: sandbox.faults.list() })

/** Orders a fault. */
export const addFault: ControlHandler = ({ body, double, sandbox }) => {
  // The contract has checked it to be a FaultRequest.
  const request = body as FaultRequest
  const known = double.contract().operations.map(({ id }) => id)
  if (request.operation !== undefined && !known.includes(request.operation)) {
    throw failure('unknown_operation', { got: request.operation, known })
  }
  if (request.status !== undefined && request.disconnect === true) {
    throw failure('invalid_fault', { reason: 'a connection that is cut has no status; give status or disconnect' })
  }
  if (request.status === undefined && request.disconnect !== true && !request.delayMs) {
    throw failure('invalid_fault', { reason: 'nothing would go wrong; give status, delayMs or disconnect' })
  }
  const fault = sandbox.faults.prepare(request)
  return { body: fault, commit: () => sandbox.faults.add(fault) }
}

/** Removes one fault. */
export const removeFault: ControlHandler = ({ parameters, sandbox }) => {
  const id = String(parameters['id'])
  if (!sandbox.faults.list().some((fault) => fault.id === id)) throw failure('unknown_fault', { id })
  return { commit: () => void sandbox.faults.remove(id) }
}

/** Removes every fault. */
export const clearFaults: ControlHandler = ({ sandbox }) => ({ commit: () => sandbox.faults.clear() })
