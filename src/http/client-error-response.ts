/** Creates the responses to requests that could not be parsed as HTTP. They have the usual headers and a journal entry. */
import { STATUS_CODES } from 'node:http'

import type { DoubleError } from '../errors.js'
import type { JournalEntry } from '../sandbox/journal.js'
import { corsHeaders } from './cors.js'
import { errorBody, violationOf } from './error-response.js'
import { nextId } from './request-context.js'
import { violationsHeader } from './violations-header.js'

/** Creates the raw HTTP response of an error. @param onEntry - Called with the journal entry. */
export function clientErrorResponse(error: DoubleError, onEntry: (entry: JournalEntry) => void): string {
  const { code, location = ['request'], message, status } = error
  const id = nextId()
  const violations = [violationOf(error, location)]
  onEntry({
    id,
    time: new Date().toISOString(),
    sandbox: 'root',
    method: '',
    url: '',
    headers: {},
    operation: null,
    caller: null,
    status,
    durationMs: 0,
    verdict: 'violation',
    violations,
    fault: null,
    preference: null,
    note: 'refused: it could not be parsed as a request',
  })
  const body = JSON.stringify(errorBody(status, message))
  const headers = {
    ...corsHeaders(undefined),
    'x-request-id': id,
    'x-error-code': code,
    'sl-violations': violationsHeader(violations),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
