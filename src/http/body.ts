/** Reads request bodies, within bounds. */
import type { IncomingMessage } from 'node:http'

import type { Json, Operation } from '../contract/contract.js'
import { covers } from '../contract/strict.js'
import { DoubleError, failure } from '../errors.js'
import { maxBodyBytes, requestTimeoutMs } from './limits.js'
import { isJson } from './reply.js'

/**
 * Reads the body that an operation takes.
 *
 * @returns Undefined where there is none.
 * @throws {DoubleError} `unexpected_body`, `unsupported_media_type`, `body_too_large`, `malformed_json`, `request_timeout`.
 */
export async function readBody(request: IncomingMessage, operation: Operation): Promise<Json | undefined> {
  if (!mayHaveBody(request)) return undefined
  if (!operation.requestBody) {
    if (Number(request.headers['content-length']) > 0 || !(await inTime(isEmpty(request))))
      throw failure('unexpected_body', { operation: operation.id })
    return undefined
  }
  const mediaType = request.headers['content-type']
  const { mediaTypes } = operation.requestBody
  const bytes = await inTime(readBytes(request))
  if (bytes.length === 0) return undefined
  if (mediaType === undefined || !mediaTypes.some((documented) => covers(documented, mediaType))) {
    throw failure('unsupported_media_type', { got: mediaType, supported: mediaTypes })
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return isJson(mediaType) ? (JSON.parse(text) as Json) : text
  } catch (error) {
    throw failure('malformed_json', { reason: error instanceof Error ? error.message : String(error) })
  }
}

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0')
  )
}

/** Gives up on a body that does not arrive a little before Node would, which would cut the connection without an answer. */
async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooSlow = new Promise<never>((_, reject) => {
    const error = failure('request_timeout', { seconds: requestTimeoutMs / 1000 }, { headers: { connection: 'close' } })
    timer = setTimeout(() => reject(error), requestTimeoutMs * 0.95)
  })
  try {
    return await Promise.race([reading, tooSlow])
  } catch (error) {
    throw error instanceof DoubleError
      ? error
      : failure('malformed_http', { reason: 'the connection ended before the request was whole' })
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a body of unannounced length has nothing in it. */
async function isEmpty(request: IncomingMessage): Promise<boolean> {
  for await (const chunk of request.iterator({ destroyOnReturn: false })) if ((chunk as Buffer).length > 0) return false
  return true
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = failure('body_too_large', { maxBytes: maxBodyBytes }, { headers: { connection: 'close' } })
  if (Number(request.headers['content-length']) > maxBodyBytes) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw tooLarge
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
