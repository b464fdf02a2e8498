/** Sends a response as a fault defines: slowly, in part, or both. */
import { delay } from './delay.js'
import type { EncodedResponse } from './encode-response.js'
import type { RequestContext } from './request-context.js'

/** The most parts of a body that is sent slowly. */
const maxParts = 10

/** Tells whether a fault changes how a response is sent. */
export const isSlowOrTruncated = ({ fault }: RequestContext): boolean =>
  fault !== undefined && (fault.truncate || fault.chunkDelayMs > 0)

/** Sends the header fields and the body. The bytes of a truncated response are cut already. */
export async function sendSlowOrTruncated(
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

/** Splits bytes into up to ten parts of the same size. */
function split(bytes: Buffer): readonly Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / maxParts))
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}
