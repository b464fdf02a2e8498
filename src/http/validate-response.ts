import { Readable } from 'node:stream'

import type { Operation, OperationResponse } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import { brokenRule, type Violation } from '../contract/violation.js'
import { jsonIn } from '../documents/parse-json.js'
import { createError } from '../http-errors.js'
import { errorResponse, isErrorResponse } from './error-response.js'
import type { OperationResult, RequestContext, Step } from './request-context.js'

/** Finds the violations of a response, each with the severity that it has in the journal. */
export function findResponseViolations({ contract, operation }: RequestContext, response: OperationResponse) {
  const decoded = decodeBody(response)
  const found = decoded ? contract.checkResponse(operation, decoded) : [notJson(response)]
  const isError = isErrorResponse(response)
  // The double could not create a valid body for its error, or the contract has no such error. A 500 would hide the mistake of the client.
  const isAllowed = ({ code, location }: Violation): boolean =>
    isError || (response.status >= 400 && code === 'undocumented' && location[1] === 'statusCode')
  return found.map((violation) => (isAllowed(violation) ? { ...violation, severity: 'Warning' as const } : violation))
}

/** Decodes a body that is the text of JSON. @returns Undefined if it is not JSON. */
function decodeBody(response: OperationResponse): OperationResponse | undefined {
  const { body, mediaType, text } = response
  if (body instanceof Readable) return { ...response, body: '' }
  // One character for each byte, as in requests.
  if (body instanceof Uint8Array) return { ...response, body: Buffer.from(body).toString('latin1') }
  if (text === undefined || text !== body || !isJson(mediaType)) return response
  const value = jsonIn(text)
  return value === undefined ? undefined : { ...response, body: value }
}

const notJson = ({ mediaType }: OperationResponse): Violation =>
  brokenRule('Error', ['response', 'body'], 'parse', `The body is not ${essenceOf(mediaType)}.`)

/** The immutable responses without violations, each with its operation. */
const valid = new WeakMap<OperationResponse, Operation>()

/** Validates a response, and adds its violations to the journal. @returns The response if it is valid, else a 500 that lists the violations. */
export function validateResponse(context: RequestContext, response: OperationResponse): OperationResponse {
  const { contract, operation } = context
  if (valid.get(response) === operation) return response
  const violations = findResponseViolations(context, response)
  if (violations.length === 0 && Object.isFrozen(response)) valid.set(response, operation)
  context.violations.push(...violations)
  const errors = violations.filter(({ severity }) => severity === 'Error')
  // A 500 keeps its own message, which names the cause.
  if (errors.length === 0 || response.status >= 500) return response
  const details = { operation: operation.id, violations: errors.map(({ message }) => message) }
  return errorResponse(createError('reply_violation', details), contract, operation)
}

/** Calls the handler of an operation, validates its response and commits its change. @throws {DoubleError} The error of the handler. */
export const callHandlerAndCommit: Step = (context) => {
  const result = context.plane.handle(context)
  // Do not await a synchronous result: another request could run before the commit.
  return result instanceof Promise
    ? result.then((awaited) => validateAndCommit(context, typeof awaited === 'function' ? awaited() : awaited))
    : validateAndCommit(context, result)
}

function validateAndCommit(context: RequestContext, { commit, note, response }: OperationResult) {
  context.note = note
  const validated = validateResponse(context, response)
  if (validated !== response || !commit) return validated
  const { store } = context.sandbox
  const before = store.pending
  const saved = commit()
  const after = store.pending
  return saved.then(() => {
    if (before !== after) context.change = { before, after }
    return validated
  })
}
