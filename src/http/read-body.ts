import type { IncomingMessage } from 'node:http'

import type { Operation, OperationRequest } from '../contract/contract.js'
import { decodeBody, type DecodedBody } from '../contract/decode-body.js'
import { essenceOf, isJson, pickMediaType } from '../contract/media-types.js'
import { countKeys, findJsonErrors, maxDocumentDepth, measureJson } from '../documents/parse-json.js'
import { errorMessage } from '../error-message.js'
import { createError, type DoubleError } from '../http-errors.js'
import { operationOverrideOf } from '../resources/read-overrides.js'
import { requestErrorEvent, requireMinRate } from '../server/client-errors.js'
import { maxBodyValues } from '../server/limits.js'

/**
 * @param onBytes - Called with the bytes that were received, also if the body is then refused.
 * @throws {DoubleError} `unexpected_body`, `unsupported_content_encoding`, `unsupported_media_type`, `body_too_large`, `malformed_json`,
 * `malformed_body`, `request_timeout`.
 */
export async function readBody(request: IncomingMessage, operation: Operation, onBytes: (bytes: Buffer) => void) {
  const none: Partial<DecodedBody> & Pick<OperationRequest, 'content'> = {}
  if (!mayHaveBody(request)) return none
  if (!operation.requestBody) {
    let isEmpty = !(Number(request.headers['content-length']) > 0)
    if (isEmpty) await readChunks(request, (chunk) => (isEmpty = chunk.length === 0))
    if (!isEmpty && !operationOverrideOf(operation).off.has('body'))
      throw createError('unexpected_body', { operation: operation.id })
    return none
  }
  const contentType = request.headers['content-type']
  const { contents } = operation.requestBody
  const isState = operation.method === 'PUT' && operation.path === '/__admin/state'
  const limits = isState ? stateLimits : isJson(contentType ?? '') ? defaultLimits : fileLimits
  const bytes = await readBytes(request, limits, onBytes)
  if (bytes.length === 0) return none
  checkContentEncoding(request)
  const supported = contents.map(({ mediaType }) => mediaType)
  const content = contentType === undefined ? undefined : contents[pickMediaType(supported, contentType)]
  if (contentType === undefined || !content)
    throw createError('unsupported_media_type', { got: contentType, supported })
  const keys = isJson(contentType) ? checkComplexity(bytes, limits) : undefined
  try {
    const decoded = await decodeBody(content, contentType, bytes)
    if (keys !== undefined && countKeys(decoded.body) !== keys) throw new Error(describeJsonError(bytes))
    return { ...decoded, content }
  } catch (error) {
    // Without the quoted text, which may contain a secret.
    const message = errorMessage(error).replace(/, \.*".*is not valid JSON$/su, '')
    const reason = message.replace(/\.$/u, '')
    if (isJson(contentType)) throw createError('malformed_json', { reason })
    throw createError('malformed_body', { mediaType: essenceOf(contentType), reason })
  }
}

/** Checks that a body is not compressed. @throws {DoubleError} `unsupported_content_encoding`, with the header of RFC 9110, 12.5.3. */
function checkContentEncoding({ headers }: IncomingMessage): void {
  const got = headers['content-encoding'] ?? ''
  const isIdentity = got.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()))
  if (!isIdentity)
    throw createError('unsupported_content_encoding', { got }, { headers: { 'accept-encoding': 'identity' } })
}

/** Tells whether the head of a request announces a body. */
export const mayHaveBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

async function readBytes(request: IncomingMessage, limits: BodyLimits, onBytes: (bytes: Buffer) => void) {
  const { maxBytes, minBytesPerSecond } = limits
  // Created where it is thrown: the stack of an error takes longer than reading a small body.
  const tooLarge = (): DoubleError => createError('body_too_large', { maxBytes }, { headers: { connection: 'close' } })
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  let bytes: Buffer = Buffer.alloc(0)
  const endLimit = minBytesPerSecond && requireMinRate(request, minBytesPerSecond, () => size)
  try {
    await readChunks(request, (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      return size <= maxBytes
    })
  } finally {
    if (endLimit) endLimit()
    bytes = Buffer.concat(chunks)
    if (size > 0) onBytes(bytes)
  }
  if (size > maxBytes) throw tooLarge()
  return bytes
}

/** Describes the first repeated key or too large number of a JSON text, with its position. */
function describeJsonError(bytes: Buffer): string {
  const [{ position, what } = { position: undefined, what: 'a key is not unique' }] = findJsonErrors('', String(bytes))
  const place = position ? ` (line ${position.line}, column ${position.column})` : ''
  return what.replace(/^is not JSON: /u, '') + place
}

/** Refuses JSON that needs far more memory than its size suggests. @returns The number of keys. @throws {DoubleError} `body_too_complex`. */
function checkComplexity(bytes: Buffer, { maxDepth }: BodyLimits): number {
  const { depth, keys, values } = measureJson(bytes)
  if (values > maxBodyValues) throw createError('body_too_complex', { extent: `more than ${maxBodyValues} values` })
  if (depth > maxDepth)
    throw createError('body_too_complex', { extent: `values that are nested more than ${maxDepth} levels deep` })
  return keys
}

/** @param onChunk - Returns false to stop: the rest is discarded. @throws {DoubleError} `malformed_http`, `request_timeout` by the parser. */
async function readChunks(request: IncomingMessage, onChunk: (chunk: Buffer) => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off(requestErrorEvent, onParseError)
      settle()
    }
    const onData = (chunk: Buffer): void => {
      if (!onChunk(chunk)) finish(resolve)
    }
    const onEnd = (): void => finish(resolve)
    const onClose = (): void =>
      finish(() => reject(createError('malformed_http', { reason: 'its body was cut short' })))
    const onParseError = (error: DoubleError): void => finish(() => reject(error))
    request.on('data', onData).on('end', onEnd).on('close', onClose).on(requestErrorEvent, onParseError)
  })
}

const mebibyte = 1024 * 1024

interface BodyLimits {
  readonly maxBytes: number
  /** The minimum rate of a body that takes longer than `requestTimeoutMs`, bytes a second. Undefined: no body may take longer. */
  readonly minBytesPerSecond: number | undefined
  readonly maxDepth: number
}

/** The bytes must arrive within `requestTimeoutMs`. */
const defaultLimits: BodyLimits = { maxBytes: mebibyte, minBytesPerSecond: undefined, maxDepth: 500 }

/** Of a body that is no JSON: it may have files. */
const fileLimits: BodyLimits = { ...defaultLimits, maxBytes: 64 * mebibyte }

/** A state may be large, and then takes long to send. It may be nested as deep as a state file, so that every state can be put back. */
const stateLimits: BodyLimits = { maxBytes: 256 * mebibyte, minBytesPerSecond: mebibyte, maxDepth: maxDocumentDepth }
