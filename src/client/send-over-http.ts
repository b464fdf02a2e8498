/** Sends the requests of handles over HTTP. */
import { Agent, request as openRequest } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'

import type { ControlRequest, ControlResponse } from './control-request-types.js'
import { NoResponseError } from './no-response-error.js'

/** Uses connections again, but none that was idle for two seconds: a double closes it after five. */
const agent = new Agent({ keepAlive: true, timeout: 2000 })

/**
 * Sends a request from this thread, with Node's HTTP client: loading and using `fetch` takes three times the CPU time.
 *
 * @param remedy - What to do if nothing responds, for the message.
 * @throws {NoResponseError} Nothing responds.
 */
export async function sendOverHttp(request: ControlRequest, remedy = 'Is it running?'): Promise<ControlResponse> {
  try {
    const response = await open(request)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
    const { headers, statusCode = 0 } = response
    return {
      status: statusCode,
      isJson: headers['content-type'] === 'application/json',
      isFromDouble: headers['x-request-id'] !== undefined,
      errorCode: headers['x-error-code']?.toString() ?? null,
      text,
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new NoResponseError(`No double responds at ${request.url} (${reason}). ${remedy}`)
  }
}

async function open({ adminToken, body, method, url }: ControlRequest): Promise<IncomingMessage> {
  const headers = {
    ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const options: RequestOptions = { method, headers }
  const isEncrypted = url.startsWith('https:')
  const openHere = isEncrypted ? (await import('node:https')).request : openRequest
  return new Promise((settle, fail) => {
    const sent = openHere(url, isEncrypted ? options : { ...options, agent })
    sent.on('response', settle).on('error', fail).end(body)
  })
}
