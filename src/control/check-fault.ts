/** Checks a fault against the contract of the service, and its properties against each other. The control plane has validated its shape. */
import { validateHeaderName, validateHeaderValue } from 'node:http'

import type { Operation } from '../contract/contract.js'
import { hasNoBody } from '../contract/contract.js'
import { errorMessage } from '../error-message.js'
import type { DoubleError } from '../http-errors.js'
import { createError } from '../http-errors.js'
import type { FaultRequest } from '../sandbox/faults.js'

/** Header fields that a fault cannot set, with the reason. */
const reserved: ReadonlyMap<string, string> = new Map([
  ...['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'].map(
    (name) => [name, 'it decides where the response ends; use disconnect or truncate to break a response'] as const,
  ),
  ['x-request-id', 'the journal finds the request by it'],
])

/**
 * Checks a fault.
 *
 * @param callers - The names of the callers.
 * @throws {DoubleError} `unknown_operation`, `unknown_caller`, `unknown_parameter`, `invalid_fault`.
 */
export function checkFault(fault: FaultRequest, operations: readonly Operation[], callers: readonly string[]): void {
  const { body, chunkDelayMs, delayMs, disconnect, headers, match = {}, operation, status, truncate } = fault
  const affected = operations.filter(({ id }) => operation === undefined || id === operation)
  if (operation !== undefined && affected.length === 0)
    throw createError('unknown_operation', { got: operation, known: operations.map(({ id }) => id) })
  if (match.caller !== undefined && !callers.includes(match.caller))
    throw createError('unknown_caller', { got: match.caller, known: callers })
  const known = [...new Set(affected.flatMap(({ parameters }) => parameters.map(({ name }) => name)))]
  for (const got of Object.keys(match.parameters ?? {}))
    if (!known.includes(got)) throw createError('unknown_parameter', { got, operation, known })
  for (const [name, value] of Object.entries(headers ?? {})) checkHeader(name, value)
  const changesResponse =
    status !== undefined || body !== undefined || truncate === true || [chunkDelayMs, headers].some(isGiven)
  if (disconnect === true && changesResponse)
    throw invalid('a disconnect has no response; give disconnect alone, or with delayMs')
  if (disconnect !== true && !changesResponse && !delayMs)
    throw invalid('it has no effect; give status, headers, body, delayMs, disconnect, truncate or chunkDelayMs')
  if (status !== undefined && body !== undefined && hasNoBody(status))
    throw invalid(`a ${status} has no body; leave the body out`)
}

const invalid = (reason: string): DoubleError => createError('invalid_fault', { reason })

const isGiven = (value: number | object | undefined): boolean =>
  typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value)

function checkHeader(name: string, value: string): void {
  const reason = reserved.get(name.toLowerCase())
  if (reason !== undefined) throw invalid(`the header ${JSON.stringify(name)} cannot be set: ${reason}`)
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (error) {
    const problem = /[\r\n]/u.test(name + value) ? 'it contains a line break' : errorMessage(error)
    throw invalid(`the header ${JSON.stringify(name)} cannot be sent: ${problem}`)
  }
}
