/** Sends the response of a request. */
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

import type { AppOptions } from './app-options.js'
import type { EncodedResponse } from './encode-response.js'
import { encodeFailure } from './handle-error.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'
import { sendSlowOrTruncated, isSlowOrTruncated } from './send-slow-or-truncated.js'

/** Sends a response. @param response - Undefined if the connection was dropped. */
export function sendResponse(
  context: RequestContext,
  response: EncodedResponse | undefined,
  redaction: Redaction,
  options: AppOptions,
): void {
  const { request, serverResponse } = context
  if (!response || request.socket.destroyed) {
    response?.stream?.destroy()
    return
  }
  if (isSlowOrTruncated(context)) {
    // A disconnected client gets nothing more.
    sendSlowOrTruncated(context, response, options.stopping).catch(() => serverResponse.destroy())
    return
  }
  try {
    write(serverResponse, response)
  } catch (error) {
    // Node refuses an invalid header field, such as one in an example of the spec.
    write(serverResponse, encodeFailure(context, error, redaction, options))
  }
}

function write(serverResponse: ServerResponse, { bytes, headers, status, stream }: EncodedResponse): void {
  serverResponse.writeHead(status, headers)
  if (stream) pipe(stream, serverResponse)
  // Responses are written at the end of the event loop iteration, so that clients wake up once. This doubles the throughput.
  else setImmediate(() => serverResponse.end(bytes))
}

function pipe(body: Readable, serverResponse: ServerResponse): void {
  if (serverResponse.req.method === 'HEAD') {
    serverResponse.end(() => body.destroy())
    return
  }
  body.pipe(serverResponse)
  serverResponse.once('close', () => body.destroy())
  // A client must not take an interrupted body for a complete one.
  body.once('close', () => {
    if (!body.readableEnded) serverResponse.destroy()
  })
}
