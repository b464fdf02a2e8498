/** Creates the responses to requests that could not be parsed as HTTP. They have the usual headers and a journal entry. */
import { STATUS_CODES } from 'node:http'

import type { Contract } from '../contract/contract.js'
import type { DoubleError } from '../http-errors.js'
import type { RecordedRequest } from '../sandbox/journal-entry.js'
import { corsHeaders, exposeHeaders } from './cors.js'
import { violationOf } from './error-response.js'
import { createRequestId } from './request-context.js'
import { addSecurityHeaders } from './security-headers.js'
import { violationsHeader } from './violations-header.js'

/** Creates the raw HTTP response of an error. @param onRecord - Called with the entry for the journal. */
export function clientErrorResponse(
  error: DoubleError,
  contract: Contract,
  onRecord: (recorded: RecordedRequest) => void,
): string {
  const { code, location = ['request'], message, status } = error
  const id = createRequestId()
  const violations = [violationOf(error, location)]
  const { body, mediaType } = contract.errorContent(undefined, status, message)
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
  onRecord({ summary, bytes: 2000, details: () => details, isAbout: () => false })
  const lines = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${responseText}`
}
