import type { OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import { consolePolicy } from '../control/pages.js'
import { escapeCharacter } from '../safe-text.js'
import type { RequestContext } from './request-context.js'

/** Creates the CORS headers of a response to an origin. Pages of any origin may read it, errors included. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { 'access-control-allow-origin': '*', vary: 'Origin' }
  return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' }
}

/** The wildcard does not apply to requests with credentials. Node adds `Date`. @param headers - All other fields of the response, by lower-case name. */
export function exposeHeaders(headers: Record<string, string | number>): void {
  headers['access-control-expose-headers'] = [...new Set(['date', ...Object.keys(headers)])].join(', ')
}

const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': consolePolicy,
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The media types that no browser runs. A browser uses the last of several types, and guesses a missing one. */
const inertType =
  /^(?:application\/(?:[\w!#$&^.-]+\+)?json|image\/(?:avif|gif|jpeg|png|webp)|text\/(?:csv|plain))\s*(?:;[^,]*)?$/iu

/**
 * All of the control plane gets the header fields of a page. What a browser could run of the service gets `sandbox` as its last policy, which
 * browsers obey: its scripts and forms do nothing at this origin.
 */
export function addSecurityHeaders(headers: Record<string, string | number>, isControl: boolean): void {
  const { 'content-security-policy': own, 'content-type': mediaType = '' } = headers
  if (isControl) Object.assign(headers, pageHeaders, own === undefined ? {} : { 'content-security-policy': own })
  else if (!inertType.test(String(mediaType)) && !/(?:^|,)\s*sandbox\s*$/iu.test(String(own)))
    headers['content-security-policy'] = own === undefined ? 'sandbox' : `${own}, sandbox`
}

const maxViolationsBytes = 4096

/** Formats violations for the `sl-violations` header, in Prism's format. A last entry counts those that do not fit. */
export function violationsHeader(violations: readonly Violation[]): string {
  const shown = violations.map((violation) => asciiJson(violation))
  let size = 2
  const cut = shown.findIndex(({ length }) => (size += length + 1) > maxViolationsBytes - 200)
  const fitting = cut === -1 ? shown.length : cut
  const omitted = violations.length - fitting
  const rest = { location: [], severity: 'Warning', code: 'cut', message: `${omitted} more; the journal has them all.` }
  return `[${[...shown.slice(0, fitting), ...(omitted > 0 ? [asciiJson(rest)] : [])].join(',')}]`
}

/** Formats JSON in visible ASCII, for a header. The pattern has no `u` flag, so that it matches each surrogate. */
const asciiJson = (value: unknown): string => JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escapeCharacter)

/** Answers a preflight. It allows every method and header, so that the page can read the error of a wrong request. */
export function answerPreflight({ request: { headers, method } }: RequestContext): OperationResponse | undefined {
  const requestedMethod = headers['access-control-request-method']
  if (method !== 'OPTIONS' || headers.origin === undefined || requestedMethod === undefined) return undefined
  const isPrivate = headers['access-control-request-private-network'] === 'true'
  const allowed = {
    'access-control-allow-methods': requestedMethod,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    ...(isPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
  }
  return { status: 204, headers: allowed, mediaType: '', body: undefined }
}
