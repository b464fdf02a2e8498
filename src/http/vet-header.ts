/** Refuses what is HTTP to Node and not to the rest of the world. */
import type { IncomingMessage } from 'node:http'

import { failure } from '../errors.js'

/** Refuses a request by its first line and its header. @throws {DoubleError} `malformed_http`, `expectation_failed`. */
export function vetHeader(request: IncomingMessage): void {
  const { expect, host } = request.headers
  const reason = leniency(request)
  if (reason !== undefined) throw failure('malformed_http', { reason }, { headers: { connection: 'close' } })
  if (host === undefined && request.httpVersion === '1.1') {
    throw failure('malformed_http', { reason: 'the Host header is missing' })
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw failure('expectation_failed', undefined)
}

/** What older versions of Node's parser let pass, and newer ones refuse. */
function leniency({ rawHeaders, url = '' }: IncomingMessage): string | undefined {
  if (/[^!-~]/u.test(url)) return 'its target has a character that must be percent-encoded'
  const isMisnamed = rawHeaders.some((text, index) => index % 2 === 0 && (text === '' || text.includes(' ')))
  return isMisnamed ? 'a header has no name, or one with a space' : undefined
}
