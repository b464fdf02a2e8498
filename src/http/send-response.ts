import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

import { delay } from './delay.js'
import type { EncodedResponse } from './encode-response.js'
import { encodeFailure } from './handle-error.js'
import type { Redaction } from './redact-request.js'
import type { AppOptions, RequestContext } from './request-context.js'

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

const maxParts = 10

const isSlowOrTruncated = ({ fault }: RequestContext): boolean =>
  fault !== undefined && (fault.truncate || fault.chunkDelayMs > 0)

/** Sends the header fields and the body. The bytes of a truncated response are cut already. */
async function sendSlowOrTruncated(
  { fault, request, serverResponse }: RequestContext,
  { bytes = Buffer.alloc(0), headers, status }: EncodedResponse,
  stopping: AbortSignal,
): Promise<void> {
  serverResponse.writeHead(status, headers)
  serverResponse.flushHeaders()
  const { chunkDelayMs = 0, truncate = false } = fault ?? {}
  const isHead = serverResponse.req.method === 'HEAD'
  const parts = isHead ? [] : chunkDelayMs > 0 ? split(bytes) : [bytes]
  for (const part of parts) {
    if (chunkDelayMs > 0) await delay(chunkDelayMs, request.socket, stopping)
    serverResponse.write(part)
  }
  // The rest of a truncated body is never sent, so the connection cannot be used again.
  if (truncate) request.socket.destroySoon()
  else serverResponse.end()
}

function split(bytes: Buffer): readonly Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / maxParts))
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}
