/** Creates a fault that repeats the response of a recorded request. */
import { createError } from '../http-errors.js'
import type { FaultRequest } from '../sandbox/faults.js'
import type { RecordedRequest } from '../sandbox/journal-entry.js'

/** Header fields that every response has, or that the fault determines. */
const ownHeaders =
  /^(?:access-control-.*|vary|x-request-id|sl-violations|content-length|content-type|connection|date|keep-alive|transfer-encoding)$/u

/**
 * Creates the fault. It affects the operation and the caller of the request.
 *
 * @throws {DoubleError} `not_repeatable`: no operation matched, or the body was cut.
 */
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
  const value = mediaType === 'application/json' ? parse(responseText) : undefined
  const all = value === undefined ? { ...headers, 'content-type': mediaType } : headers
  return { ...target, status, ...(hasAny(all) ? { headers: all } : {}), body: value ?? responseText }
}

const hasAny = (object: object): boolean => Object.keys(object).length > 0

/** Parses JSON. @returns Undefined if it is a string, which a fault would send as text, or no JSON. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? undefined : value
  } catch {
    return undefined
  }
}
