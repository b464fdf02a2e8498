/** Decodes a request body to the JSON value that its schema describes. */
import { isObject } from '../../documents/object.js'
import type { BodyContent, Json } from '../contract.js'
import { convertText } from '../parameters/convert-text.js'
import { parseJsonWithinBounds } from '../parse-large-integers.js'
import { decodeForm, decodeMultipart } from './decode-form.js'
import { essenceOf, isJson, mediaTypeParameter } from './media-types.js'

/** A decoded request body. */
export interface DecodedBody {
  /** The value that its schema describes. Binary values are strings of one character for each byte, so minLength and maxLength count bytes. */
  readonly body: Json
  /** The same value as handlers get it: files as `{name, type, bytes}`, binary bodies as bytes, XML as text. Default: `body`. */
  readonly withBytes?: unknown
}

/**
 * Decodes a request body by its media type.
 *
 * @param contentType - The Content-Type header field of the request.
 * @throws {Error} If the body is not valid for its media type. The message is the reason.
 */
export async function decodeBody(content: BodyContent, contentType: string, bytes: Uint8Array): Promise<DecodedBody> {
  const essence = essenceOf(contentType)
  // JSON and forms are always UTF-8.
  const charset = essence.startsWith('text/') ? mediaTypeParameter(contentType, 'charset') : undefined
  if (essence === 'multipart/form-data') return decodeMultipart(content, contentType, bytes)
  if (isJson(contentType)) return { body: parseJsonWithinBounds(decodeText(bytes), content.requestSchema) as Json }
  if (essence === 'application/x-www-form-urlencoded') return { body: decodeForm(content, decodeText(bytes)) }
  if (essence.startsWith('text/'))
    return { body: convertText(decodeText(bytes, charset), content.requestSchema, 'string') }
  const withBytes = /[/+]xml$/u.test(essence) ? Buffer.from(bytes).toString() : new Uint8Array(bytes)
  return { body: Buffer.from(bytes).toString('latin1'), withBytes }
}

const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string =>
  new TextDecoder(charset, { fatal: true }).decode(bytes)

/** Tells whether a body of a media type is decoded to a value that its schema can validate. XML, for example, stays a text. */
export const isDecoded = (mediaType: string, schema: unknown): boolean =>
  isJson(mediaType) ||
  /^(?:text\/|multipart\/form-data$|application\/x-www-form-urlencoded$|\*)/u.test(essenceOf(mediaType)) ||
  !isObject(schema) ||
  typeof schema['type'] !== 'string' ||
  schema['type'] === 'string'
