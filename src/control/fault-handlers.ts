import { validateHeaderName, validateHeaderValue } from 'node:http'

import { hasNoBody, type Operation } from '../contract/contract.js'
import { jsonIn } from '../documents/parse-json.js'
import { errorMessage } from '../error-message.js'
import { createError, type DoubleError } from '../http-errors.js'
import { deepFreeze } from '../resources/json.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { RecordedRequest } from '../sandbox/journal-entry.js'
import type { AdminHandlers } from './admin-handler-types.js'

export const faultHandlers: AdminHandlers = {
  listFaults: ({ parameters: { consumed }, sandbox: { faults } }) => ({
    body: consumed ? faults.consumed() : faults.list(),
  }),
  addFault: ({ body, double, sandbox }) => {
    // The contract has validated the body as a FaultRequest.
    const request = deepFreeze(body as FaultRequest)
    const callers = sandbox.store.pending.callers.map(({ name }) => name)
    checkFault(request, double.service().contract.operations, callers)
    const fault = sandbox.faults.prepare(request)
    return { body: fault, commit: () => sandbox.faults.add(fault) }
  },
  removeFault: ({ parameters: { id = '' }, sandbox }) => {
    if (!sandbox.faults.list().some((fault) => fault.id === id)) throw createError('unknown_fault', { id })
    return { commit: () => sandbox.faults.remove(id) }
  },
  clearFaults: ({ sandbox: { faults } }) => ({ commit: () => faults.list().forEach(({ id }) => faults.remove(id)) }),
}

/** Header fields that a fault cannot set, with the reason. */
const reserved: ReadonlyMap<string, string> = new Map([
  ...['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'].map(
    (name) => [name, 'it decides where the response ends; use disconnect or truncate to break a response'] as const,
  ),
  ['x-request-id', 'the journal finds the request by it'],
])

/** The control plane has validated the shape. @throws {DoubleError} `unknown_operation`, `unknown_caller`, `unknown_parameter`, `invalid_fault`. */
function checkFault(fault: FaultRequest, operations: readonly Operation[], callers: readonly string[]): void {
  const { body, chunkDelayMs, delayMs, disconnect, headers = {}, match = {}, operation, status, truncate } = fault
  const affected = operations.filter(({ id }) => operation === undefined || id === operation)
  if (operation !== undefined && affected.length === 0)
    throw createError('unknown_operation', { got: operation, known: operations.map(({ id }) => id) })
  if (match.caller !== undefined && !callers.includes(match.caller))
    throw createError('unknown_caller', { got: match.caller, known: callers })
  const known = [...new Set(affected.flatMap(({ parameters }) => parameters.map(({ name }) => name)))]
  for (const got of Object.keys(match.parameters ?? {}))
    if (!known.includes(got)) throw createError('unknown_parameter', { got, operation, known })
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
  const changesResponse =
    status !== undefined || body !== undefined || truncate || Boolean(chunkDelayMs) || hasAny(headers)
  if (disconnect === true && changesResponse)
    throw invalid('a disconnect has no response; give disconnect alone, or with delayMs')
  if (disconnect !== true && !changesResponse && !delayMs)
    throw invalid('it has no effect; give status, headers, body, delayMs, disconnect, truncate or chunkDelayMs')
  if (status !== undefined && body !== undefined && hasNoBody(status))
    throw invalid(`a ${status} has no body; leave the body out`)
}

const invalid = (reason: string): DoubleError => createError('invalid_fault', { reason })

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

/** Header fields that every response has, or that the fault determines. */
const ownHeaders =
  /^(?:access-control-.*|content-security-policy|x-content-type-options|vary|x-request-id|sl-violations|content-length|content-type|connection|date|keep-alive|transfer-encoding)$/u

/** The fault affects the operation and the caller. @throws {DoubleError} `not_repeatable`: no operation matched, or the body was cut. */
export function toFault(recorded: RecordedRequest): FaultRequest {
  const { caller, id, operation, status } = recorded.summary
  const { responseHeaders, responseText, truncated } = recorded.details()
  if (operation === null)
    throw createError('not_repeatable', { id, reason: 'faults affect operations, and the request matches none' })
  if (truncated.includes('responseBody'))
    throw createError('not_repeatable', { id, reason: 'the body of its response was cut after 16 KiB' })
  const target = { operation, ...(caller === null ? {} : { match: { caller } }) }
  if (status === null) return { ...target, disconnect: true }
  const headers = Object.fromEntries(Object.entries(responseHeaders).filter(([name]) => !ownHeaders.test(name)))
  if (responseText === undefined) return { ...target, status, ...(hasAny(headers) ? { headers } : {}) }
  const mediaType = responseHeaders['content-type'] ?? 'text/plain'
  const json = mediaType === 'application/json' ? jsonIn(responseText) : undefined
  // A fault would send a string as text.
  const value = typeof json === 'string' ? undefined : json
  const all = value === undefined ? { ...headers, 'content-type': mediaType } : headers
  return { ...target, status, ...(hasAny(all) ? { headers: all } : {}), body: value ?? responseText }
}

const hasAny = (object: object): boolean => Object.keys(object).length > 0
