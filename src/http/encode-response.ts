import { Readable } from 'node:stream'

import type { OperationResponse } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import { isErrorResponse } from './error-response.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'
import { addSecurityHeaders, corsHeaders, exposeHeaders, violationsHeader } from './response-headers.js'

export interface EncodedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly bytes: Buffer | undefined
  readonly stream: Readable | undefined
}

/** The bytes of immutable bodies. They save nine tenths of the time of a listing of 10,000 records. */
const bytesByBody = new WeakMap<object, Buffer>()

/** Encodes a response with the common header fields. Fields of the response itself take precedence, except over those of `complete`. */
export function encodeResponse(
  context: RequestContext,
  response: OperationResponse,
  redaction: Redaction,
  isStopping: boolean,
): EncodedResponse {
  const { mediaType, status } = response
  const headers = commonHeaders(context)
  if (context.preference !== undefined) headers['preference-applied'] = redaction.text(context.preference)
  if (context.violations.length > 0)
    headers['sl-violations'] = violationsHeader(redaction.violations(context.violations))
  if (isStopping) headers['connection'] = 'close'
  Object.assign(headers, response.headers)
  const stream = response.body instanceof Readable ? response.body : undefined
  const bytes = stream ? undefined : encodeBody(response, redaction)
  if (stream || bytes) headers['content-type'] = mediaType
  if (!stream && status !== 204 && status !== 304) headers['content-length'] = bytes?.length ?? 0
  const { fault } = context
  if (fault) Object.assign(headers, fault.headers)
  complete(context, headers)
  const sent = fault?.truncate ? bytes?.subarray(0, Math.floor(bytes.length / 2)) : bytes
  return { status, headers, bytes: sent, stream }
}

/** Encodes an error with the header fields that every response has. For a response that Node refuses to send. */
export function encodeUnsendable(
  context: RequestContext,
  response: OperationResponse,
  redaction: Redaction,
): EncodedResponse {
  const { mediaType, status } = response
  const bytes = encodeBody(response, redaction)
  const own = { 'content-type': mediaType, 'content-length': bytes?.length ?? 0 }
  const headers = { ...commonHeaders(context), ...response.headers, ...own }
  complete(context, headers)
  return { status, headers, bytes, stream: undefined }
}

function commonHeaders({ id, request }: RequestContext): Record<string, string | number> {
  const headers: Record<string, string | number> = corsHeaders(request.headers.origin)
  headers['x-request-id'] = id
  return headers
}

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
  if (typeof body !== 'object' || body === null || !Object.isFrozen(body)) return Buffer.from(JSON.stringify(body))
  const bytes = bytesByBody.get(body) ?? Buffer.from(JSON.stringify(body))
  bytesByBody.set(body, bytes)
  return bytes
}
