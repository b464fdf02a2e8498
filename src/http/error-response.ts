import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'

import type { Contract, DocumentedResponse, Occurrence, Operation, OperationResponse } from '../contract/contract.js'
import { errorTemplateOf, responseOverrideOf } from '../contract/contract.js'
import { statusIn } from '../contract/error-codes.js'
import { isOfOther, statusOfError } from '../contract/told-status.js'
import type { Violation } from '../contract/violation.js'
import { fillPlaces } from '../documents/text-template.js'
import { type DoubleError, type ErrorPlaces, isErrorPlace } from '../http-errors.js'
import type { Journal } from '../sandbox/journal.js'
import { createRequestId } from './request-context.js'
import { addSecurityHeaders, corsHeaders, exposeHeaders, violationsHeader } from './response-headers.js'

/** Tells whether a response is an error from `http-errors.ts`. Its body may quote the request. */
export const isErrorResponse = ({ headers }: OperationResponse): boolean => headers['x-error-code'] !== undefined

/** Creates the response to an error, as the contract documents it. @param request - What its body may tell of the request. */
export function errorResponse(error: DoubleError, contract: Contract, operation?: Operation, request?: Occurrence) {
  const { code, headers, message, places, rule } = error
  const stated = [rule, code].flatMap((name) =>
    (operation?.responses ?? []).filter((each) => responseOverrideOf(each).includes(name ?? '')),
  )
  // `400: Invalid ID supplied` is about the path, where `405: Validation exception` is about the body; `400: Sold out`, where `422` is.
  const [place] = request?.place ?? []
  const isElse =
    operation !== undefined && place !== undefined && isOfOther(operation, place, code !== 'malformed_json')
  const preferred = operation ? statusOfError(operation, error.status, isElse) : error.status
  const status = Number(stated[0]?.status ?? preferred)
  // What is missing is at its own place.
  const isMissing = rule === 'required' && code !== 'missing_body' && places.name !== undefined
  const missing = isMissing && request?.place?.at(-1) !== places.name ? [places.name] : []
  const occurred = { ...request, place: [...(request?.place ?? []), ...missing], code, status, message }
  const content = ownContent(error, contract, stated[0], request?.now) ?? contract.errorContent(operation, occurred)
  // A body that knows no 400 has 422, and so has its response, unless 400 is documented as such.
  const isExact = operation?.responses.some((each) => each.status === String(status)) === true
  const shown = isExact || status !== 400 ? status : (statusIn(content.body) ?? status)
  return { status: shown, headers: { ...headers, 'x-error-code': code }, ...content }
}

/** Returns the body that the contract gives to an error by `x-double`. Undefined: it gives none, or one that its schema refuses. */
function ownContent(
  { code, places, rule }: DoubleError,
  contract: Contract,
  stated: DocumentedResponse | undefined,
  now: string | undefined,
) {
  const [content] = stated?.contents ?? []
  const template = stated && (errorTemplateOf(stated, rule) ?? errorTemplateOf(stated, code))
  if (!content || template === undefined) return undefined
  const values: ErrorPlaces = { ...places, uuid: randomUUID(), now }
  const body = fillPlaces(template, (name) => (isErrorPlace(name) ? values[name] : `{${name}}`))
  return body !== undefined && contract.validate(content.schema, body).length === 0
    ? { mediaType: content.mediaType, body }
    : undefined
}

/** Lists the violation that an error is. Empty: it is none. @param location - Default: that of the error. */
export function violationsOf({ code, location: own, message, status }: DoubleError, location = own): Violation[] {
  // A wrong credential is only a warning: apps send one when they test a login.
  return location ? [{ location, severity: status === 401 ? 'Warning' : 'Error', code, message }] : []
}

/** Creates the raw HTTP response to a request that could not be parsed, with the usual headers and a journal entry. @param onRecord - Called with the entry for the journal. */
export function clientErrorResponse(error: DoubleError, contract: Contract, onRecord: Journal['record']): string {
  const { code, location, message, status } = error
  const id = createRequestId()
  const violations = violationsOf(error, location ?? ['request'])
  const { body, mediaType } = contract.errorContent(undefined, { status, message })
  const responseText = JSON.stringify(body)
  const responseHeaders = {
    ...corsHeaders(undefined),
    'x-request-id': id,
    'x-error-code': code,
    'sl-violations': violationsHeader(violations),
    'content-type': mediaType,
    'content-length': String(Buffer.byteLength(responseText)),
    date: new Date().toUTCString(),
    connection: 'close',
  }
  addSecurityHeaders(responseHeaders, false)
  exposeHeaders(responseHeaders)
  const summary = {
    id,
    time: new Date().toISOString(),
    sandbox: 'root',
    method: '',
    url: '',
    operation: null,
    caller: null,
    status,
    durationMs: 0,
    verdict: 'violation',
    violations,
    fault: null,
    preference: null,
    note: 'refused: it is not a valid HTTP request',
  } as const
  const details = { requestHeaders: {}, requestText: undefined, responseHeaders, responseText, truncated: [] }
  onRecord({ id, common: summary, summary, bytes: 2000, details: () => details, pathParameters: {} })
  const lines = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${responseText}`
}
