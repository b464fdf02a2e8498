import type { OperationResponse } from '../contract/contract.js'
import type { RequestContext } from './request-context.js'

/** The time that a browser may cache a preflight, seconds. */
const maxAgeSeconds = 600

/** Answers a preflight. It allows every method and header, so that the page can read the error of a wrong request. */
export function answerPreflight({ request: { headers, method } }: RequestContext): OperationResponse | undefined {
  const requestedMethod = headers['access-control-request-method']
  if (method !== 'OPTIONS' || headers.origin === undefined || requestedMethod === undefined) return undefined
  const allowed = {
    'access-control-allow-methods': requestedMethod,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-max-age': String(maxAgeSeconds),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  }
  const isPrivate = headers['access-control-request-private-network'] === 'true'
  return {
    status: 204,
    headers: isPrivate ? { ...allowed, 'access-control-allow-private-network': 'true' } : allowed,
    mediaType: '',
    body: undefined,
  }
}
