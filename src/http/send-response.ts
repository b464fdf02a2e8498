import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'

import type { OperationResponse } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import { createError, DoubleError } from '../http-errors.js'
import { onceForObject } from '../once.js'
import type { Fault } from '../sandbox/faults.js'
import type { VariedMessage } from '../vary/kinds.js'
import { delay } from './delay.js'
import { errorResponse, isErrorResponse, violationsOf } from './error-response.js'
import { createRedaction, type Redaction } from './redact-request.js'
import { ConnectionDropped, type RequestContext } from './request-context.js'
import { addSecurityHeaders, corsHeaders, exposeHeaders, violationsHeader } from './response-headers.js'
import { validateResponse } from './validate-response.js'

/** @param response - Undefined: none is sent. */
export function sendResponse(context: RequestContext, redaction: Redaction, response?: EncodedResponse): void {
  const { fault, request, serverResponse } = context
  if (!response || request.socket.destroyed) return void response?.stream?.destroy()
  // A disconnected client gets nothing more.
  if (fault && (fault.truncate || fault.chunkDelayMs > 0))
    return void sendSlowOrTruncated(context, fault, response).catch(() => serverResponse.destroy())
  try {
    write(serverResponse, response, context.id)
  } catch (error) {
    // Node refuses an invalid header field, such as one in an example of the spec.
    write(serverResponse, encodeFailure(context, error, redaction), context.id)
  }
}

function write(serverResponse: ServerResponse, response: EncodedResponse, id: string): void {
  const headers = headersFor(response, id)
  const { bytes, status, stream, writing: { isChunked, isUpperCase, reason } = {} } = response
  const inCapitals = (): typeof headers =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  serverResponse.writeHead(status, reason, isUpperCase ? inCapitals() : headers)
  if (stream && serverResponse.req.method === 'HEAD') serverResponse.end(() => stream.destroy())
  // Closes the connection of an interrupted body: a client must not take that for a complete one.
  else if (stream) pipeline(stream, serverResponse, () => {})
  else if (isChunked && bytes) {
    const half = Math.ceil(bytes.length / 2)
    serverResponse.write(bytes.subarray(0, half))
    setImmediate(() => serverResponse.end(bytes.subarray(half)))
  } else if (bytes && bytes.length > mostTogether) serverResponse.end(bytes)
  else endLater(() => serverResponse.end(bytes))
}

/** The longest body that is written together with others. Several long ones at once would not fit into the caches of the processor. */
const mostTogether = 64 * 1024

let ends: (() => void)[] = []

/** Responses are written together at the end of the event loop iteration, so that clients wake up once. This doubles the throughput. */
function endLater(end: () => void): void {
  if (ends.push(end) > 1) return
  setImmediate(() => {
    const all = ends
    ends = []
    for (const each of all) each()
  })
}

const maxParts = 10

/** Sends the header fields and the body. The bytes of a truncated response are cut already. */
async function sendSlowOrTruncated(context: RequestContext, { chunkDelayMs, truncate }: Fault, sent: EncodedResponse) {
  const { request, serverResponse } = context
  const { bytes = Buffer.alloc(0), status } = sent
  serverResponse.writeHead(status, headersFor(sent, context.id))
  serverResponse.flushHeaders()
  const parts = serverResponse.req.method === 'HEAD' ? [] : chunkDelayMs > 0 ? split(bytes) : [bytes]
  for (const part of parts) {
    if (chunkDelayMs > 0) await delay(chunkDelayMs, context)
    serverResponse.write(part)
  }
  // The rest of a truncated body is never sent, so the connection cannot be used again.
  if (truncate) request.socket.destroySoon()
  else serverResponse.end()
}

function split(bytes: Buffer): readonly Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / maxParts))
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}

export interface EncodedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  /** True if the request id in the header fields is that of the first request with this response, and each gets its own. */
  readonly isShared: boolean
  readonly bytes: Buffer | undefined
  readonly stream: Readable | undefined
  /** A variation may write the response in another way. */
  readonly writing?: Pick<VariedMessage, 'isChunked' | 'isUpperCase' | 'reason'>
}

/** Returns the header fields of a response to the request with an id. */
export const headersFor = (
  { headers, isShared }: Pick<EncodedResponse, 'headers' | 'isShared'>,
  id: string,
): EncodedResponse['headers'] => (isShared ? { ...headers, 'x-request-id': id } : headers)

/** The bytes of immutable bodies. They save nine tenths of the time of a listing of 10,000 records. */
const bytesOf = onceForObject((body: object) => Buffer.from(JSON.stringify(body)))

/** The immutable responses as they are sent to a client without an origin. Only the request id is another each time. */
const encodedOnce = new WeakMap<OperationResponse, EncodedResponse>()

/** Encodes a response, else the error that this throws. */
export function encodeResponse(context: RequestContext, response: OperationResponse, redaction: Redaction) {
  const { fault, head, isControl, options, preference, violations } = context
  const isOwn = fault !== undefined || preference !== undefined || violations.length > 0 || options.stopping.aborted
  const isNew = isOwn || isControl || head.headers.origin !== undefined || !Object.isFrozen(response)
  const known = isNew ? undefined : encodedOnce.get(response)
  if (known) return known
  try {
    const encoded = encodeNew(context, response, redaction)
    if (!isNew) encodedOnce.set(response, encoded)
    return encoded
  } catch (error) {
    return encodeFailure(context, error, redaction)
  }
}

/** Fields of the response itself take precedence over the common header fields, except over those of `complete`. */
function encodeNew(context: RequestContext, response: OperationResponse, redaction: Redaction): EncodedResponse {
  const { mediaType, status } = response
  const headers = commonHeaders(context)
  if (context.preference !== undefined) headers['preference-applied'] = redaction.text(context.preference)
  if (context.violations.length > 0)
    headers['sl-violations'] = violationsHeader(redaction.violations(context.violations))
  if (context.options.stopping.aborted) headers['connection'] = 'close'
  Object.assign(headers, response.headers)
  const stream = response.body instanceof Readable ? response.body : undefined
  const bytes = stream ? undefined : encodeBody(response, redaction)
  if (stream || bytes) headers['content-type'] = mediaType
  if (!stream && status !== 204 && status !== 304) headers['content-length'] = bytes?.length ?? 0
  const { fault } = context
  Object.assign(headers, fault?.headers)
  complete(context, headers)
  const sent = fault?.truncate ? bytes?.subarray(0, Math.floor(bytes.length / 2)) : bytes
  return { status, headers, isShared: headers['x-request-id'] === context.id, bytes: sent, stream }
}

/** Encodes an error, for a response that cannot be encoded, or that Node refuses to send. */
function encodeFailure(context: RequestContext, thrown: unknown, redaction: Redaction): EncodedResponse {
  const response = errorResponse(reportError(context, thrown), context.options.service().contract)
  const { mediaType, status } = response
  const bytes = encodeBody(response, redaction)
  const own = { 'content-type': mediaType, 'content-length': bytes?.length ?? 0 }
  const headers = { ...commonHeaders(context), ...response.headers, ...own }
  complete(context, headers)
  return { status, headers, isShared: true, bytes, stream: undefined }
}

const commonHeaders = ({ id, request }: RequestContext): Record<string, string | number> =>
  Object.assign(corsHeaders(request.headers.origin), { 'x-request-id': id })

/** Adds the fields that depend on all others. Nothing may replace them: no documented field, example, handler or fault. */
function complete({ isControl }: RequestContext, headers: Record<string, string | number>): void {
  addSecurityHeaders(headers, isControl)
  exposeHeaders(headers)
}

function encodeBody(response: OperationResponse, redaction: Redaction): Buffer | undefined {
  const { body, mediaType, text } = response
  if (body === undefined) return undefined
  if (Buffer.isBuffer(body)) return body
  const isText = typeof body === 'string' && !isJson(mediaType)
  // An error may quote the request.
  if (isErrorResponse(response))
    return Buffer.from(isText ? redaction.text(body) : JSON.stringify(redaction.json(body)))
  if (isText) return Buffer.from(body)
  if (text !== undefined) return Buffer.from(text)
  const isImmutable = typeof body === 'object' && body !== null && Object.isFrozen(body)
  return isImmutable ? bytesOf(body) : Buffer.from(JSON.stringify(body))
}

/** The response is validated like any other of the operation. @returns Undefined if the connection was dropped. */
export function toErrorResponse(context: RequestContext, thrown: unknown): OperationResponse | undefined {
  if (thrown instanceof ConnectionDropped) {
    context.note = thrown.message
    return undefined
  }
  const error = reportError(context, thrown)
  const { occurrence } = context
  // The contract does not apply to an incomplete request.
  const isUnread = error.code === 'request_timeout' || error.code === 'malformed_http'
  if (!context.route || isUnread)
    return errorResponse(
      error,
      context.isControl ? context.contract : context.options.service().contract,
      undefined,
      occurrence,
    )
  const { contract, operation } = context
  return validateResponse(context, errorResponse(error, contract, operation, occurrence))
}

/** Converts a thrown value to an error from `http-errors.ts`. Adds its violation to the context, and logs it if it is unexpected. */
function reportError(context: RequestContext, thrown: unknown): DoubleError {
  const error = thrown instanceof DoubleError ? thrown : createError('internal', { id: context.id }, { cause: thrown })
  if (error.status === 500) context.options.onFailure(context.id, createRedaction(context).error(error.cause ?? error))
  context.violations.push(...violationsOf(error))
  return error
}
