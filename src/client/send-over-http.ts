/** Sends the requests of handles over HTTP. */
import type { ControlRequest, ControlResponse } from './control-request-types.js'
import { NoResponseError } from './no-response-error.js'

/**
 * Sends a request from this thread.
 *
 * @param remedy - What to do if nothing responds, for the message.
 * @throws {NoResponseError} Nothing responds. The error of `fetch` alone has no reason and no URL.
 */
export async function sendOverHttp(
  { adminToken, body, method, url }: ControlRequest,
  remedy = 'Is it running?',
): Promise<ControlResponse> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    return {
      status: response.status,
      isJson: response.headers.get('content-type') === 'application/json',
      isFromDouble: response.headers.has('x-request-id'),
      errorCode: response.headers.get('x-error-code'),
      text: await response.text(),
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new NoResponseError(`No double responds at ${url} (${reason}). ${remedy}`)
  }
}
