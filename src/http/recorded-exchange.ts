/**
 * A request and its response, as the journal keeps them.
 *
 * The request is redacted before it is kept. The response is kept as the bytes that were sent, which other requests share, and is redacted
 * when it is shown: most responses never are. If the request has a credential that no caller has, the response is redacted at once too,
 * because nothing may keep that credential.
 */
import { StringDecoder } from 'node:string_decoder'

import type { RecordedRequest, RequestDetails, RequestSummary, TruncatedProperty } from '../sandbox/journal-entry.js'
import type { EncodedResponse } from './encode-response.js'
import { redactBody } from './redact-body.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'

/** The most characters of the request target that are kept. */
export const maxTargetLength = 2048

/** The most bytes of a body that are kept, 16 KiB. */
const maxBodyBytes = 16 * 1024

/** The approximate size of an entry without its text, bytes. */
const entryBytes = 800

/** A redacted response. */
type ResponseDetails = Pick<RequestDetails, 'responseHeaders' | 'responseText'>

/** A request and its response, as the journal keeps them. */
export class RecordedExchange implements RecordedRequest {
  readonly summary: RequestSummary
  readonly bytes: number
  readonly #context: Pick<RequestContext, 'createdId' | 'route'>
  readonly #requestHeaders: Readonly<Record<string, string>>
  readonly #requestText: string | undefined
  readonly #truncated: readonly TruncatedProperty[]
  /** The response as it was sent, with its redaction; or redacted. */
  readonly #response: KeptResponse | ResponseDetails

  /** @param response - Undefined if none was sent. */
  constructor(
    summary: RequestSummary,
    context: RequestContext,
    response: EncodedResponse | undefined,
    redaction: Redaction,
  ) {
    const { createdId, method, request, requestBytes, route, target } = context
    this.summary = summary
    this.#context = { createdId, route }
    this.#requestHeaders = redaction.headers(request.headers)
    this.#requestText = requestBytes && toText(requestBytes, request.headers['content-type'], redaction)
    const sent = method === 'HEAD' ? undefined : response?.bytes
    const kept = new KeptResponse(response?.headers ?? {}, sent && startOf(sent), isLong(sent), redaction)
    this.#response = redaction.hasOwnSecrets ? kept.redact() : kept
    const truncated: TruncatedProperty[] = []
    if (target.length > maxTargetLength) truncated.push('url')
    if (isLong(requestBytes)) truncated.push('requestBody')
    if (isLong(sent)) truncated.push('responseBody')
    this.#truncated = truncated
    this.bytes =
      entryBytes +
      summary.url.length +
      sizeOf(this.#requestHeaders) +
      (this.#requestText?.length ?? 0) +
      sizeOf(response?.headers ?? {}) +
      Math.min(sent?.length ?? 0, maxBodyBytes)
    for (const { message } of summary.violations) this.bytes += message.length
  }

  details(): RequestDetails {
    const response = this.#response instanceof KeptResponse ? this.#response.redact() : this.#response
    return {
      requestHeaders: this.#requestHeaders,
      requestText: this.#requestText,
      ...response,
      truncated: this.#truncated,
    }
  }

  isAbout(recordId: string): boolean {
    const { createdId, route } = this.#context
    if (createdId === recordId) return true
    const ids = Object.values(route?.pathParameters ?? {})
    return ids.some((id) => id === recordId || (id.includes('%') && decode(id) === recordId))
  }
}

/** A response as it was sent, with what redacts it. */
class KeptResponse {
  readonly #headers: EncodedResponse['headers']
  readonly #bytes: Buffer | undefined
  readonly #isCut: boolean
  readonly #redaction: Redaction

  constructor(headers: EncodedResponse['headers'], bytes: Buffer | undefined, isCut: boolean, redaction: Redaction) {
    this.#headers = headers
    this.#bytes = bytes
    this.#isCut = isCut
    this.#redaction = redaction
  }

  redact(): ResponseDetails {
    const bytes = this.#bytes
    const mediaType = String(this.#headers['content-type'] ?? '')
    return {
      responseHeaders: this.#redaction.headers(this.#headers),
      responseText: bytes && redactBody(decodeStart(bytes), mediaType, this.#isCut, this.#redaction),
    }
  }
}

const isLong = (bytes: Buffer | undefined): boolean => bytes !== undefined && bytes.length > maxBodyBytes

/** The first bytes of long bodies. The whole bytes would keep memory that the journal does not count. */
const starts = new WeakMap<Buffer, Buffer>()

/** Returns the bytes of a body that are kept. */
function startOf(bytes: Buffer): Buffer {
  if (!isLong(bytes)) return bytes
  let start = starts.get(bytes)
  if (!start) starts.set(bytes, (start = Buffer.from(bytes.subarray(0, maxBodyBytes))))
  return start
}

/** Decodes UTF-8, without a character that is cut at the end. */
const decodeStart = (bytes: Buffer): string => new StringDecoder('utf8').write(bytes)

function toText(bytes: Buffer, mediaType: string | undefined, redaction: Redaction): string {
  const start = bytes.subarray(0, maxBodyBytes)
  return redactBody(decodeStart(start), mediaType ?? '', isLong(bytes), redaction)
}

function sizeOf(headers: Readonly<Record<string, string | number>>): number {
  let size = 0
  for (const name in headers) size += name.length + String(headers[name]).length
  return size
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
