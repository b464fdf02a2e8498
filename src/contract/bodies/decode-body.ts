/** Decodes request bodies: bytes become the JSON value that their schema is about. */
import { isObject } from '../../documents/object.js'
import type { BodyContent, Json } from '../contract.js'
import { convert } from '../parameters/parameter-types.js'
import { boundsOf, parseJsonExactly } from '../schemas/exact-integers.js'
import { decodeForm, decodeMultipart } from './decode-form.js'
import { essenceOf, isJson, parameterOf } from './media-types.js'

/**
 * Decodes a body.
 *
 * @param contentType - As it was sent.
 * @throws {Error} The body is not what its media type says. The message is the reason.
 */
export async function decodeBody(content: BodyContent, contentType: string, bytes: Uint8Array): Promise<Json> {
  const essence = essenceOf(contentType)
  // JSON and forms are UTF-8, whatever is said of them.
  const charset = essence.startsWith('text/') ? parameterOf(contentType, 'charset') : undefined
  if (essence === 'multipart/form-data') return decodeMultipart(content, contentType, bytes)
  if (isJson(contentType)) return parseJsonExactly(decodeText(bytes), boundsOf(content.schema)) as Json
  if (essence === 'application/x-www-form-urlencoded') return decodeForm(content, decodeText(bytes))
  if (essence.startsWith('text/')) return convert(decodeText(bytes, charset), content.schema, 'text')
  // Of bytes, a length counts octets.
  return Buffer.from(bytes).toString('latin1')
}

const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string =>
  new TextDecoder(charset, { fatal: true }).decode(bytes)

/** Whether a body of a media type is decoded into what its schema describes. Others, such as XML, are only looked at as text. */
export const isDecoded = (mediaType: string, schema: unknown): boolean =>
  isJson(mediaType) ||
  /^(?:text\/|multipart\/form-data$|application\/x-www-form-urlencoded$|\*)/u.test(essenceOf(mediaType)) ||
  !isObject(schema) ||
  typeof schema['type'] !== 'string' ||
  schema['type'] === 'string'
