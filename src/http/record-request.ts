import { StringDecoder } from 'node:string_decoder'

import { onceForObject } from '../once.js'
import { redacted } from '../redaction.js'
import { describeChange } from '../resources/records/diff.js'
import type { Caller } from '../resources/records/state.js'
import type { CommonSummary, RecordedRequest, RequestDetails, RequestSummary } from '../sandbox/journal-entry.js'
import { redactBody } from './redact-body.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'
import type { RequestHead } from './request-head.js'
import type { Route } from './router.js'
import { type EncodedResponse, headersFor } from './send-response.js'

export function recordRequest(context: RequestContext, redaction: Redaction, response?: EncodedResponse): void {
  const sent = context.request.socket.destroyed ? undefined : response
  const { isControl, options, route, sandbox } = context
  const recorded = new KeptRequest(context, redaction, sent)
  if (!isControl) {
    sandbox.journal.record(redaction.hasOwnSecrets ? withoutSecrets(recorded) : recorded)
    if (route && sent) sandbox.coverage.count(route.operation.id, sent.status)
    if (route && sent) sandbox.wholeCoverage.count(route.operation.id, sent.status)
  }
  try {
    options.onExchange(recorded, isControl, sandbox.test)
  } catch (error) {
    // A listener's error does not concern the response.
    options.onFailure(context.id, error)
  }
}

/** Summarizes a request, without secrets. */
function summarize(context: RequestContext, { summary }: SharedParts, redaction: Redaction): CommonSummary {
  const { fault, head, isControl, note, options, preference, route, variations, violations } = context
  const { status } = summary
  const isJudged = !isControl && !fault && status !== null
  const evidence = isJudged && route && options.evidenceOf?.(route.operation, status, head.url)
  const isPlain = violations.length + variations.length === 0 && !fault && !evidence
  if (isPlain && preference === undefined && note === undefined) return summary
  return {
    ...summary,
    verdict: violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok',
    violations: redaction.violations(violations),
    fault: fault?.id ?? null,
    preference: preference === undefined ? null : redaction.text(preference),
    note: note === undefined ? null : redaction.text(note),
    ...(variations.length === 0 ? {} : { variations }),
    ...(evidence ? { evidence } : {}),
  }
}

type SharedParts = ReturnType<typeof sharedParts>

/** Makes what is the same each time that a head gets the same status. It must not refer to the contract, which a reload replaces. */
function sharedParts(
  { headers, method, url }: RequestHead,
  redaction: Redaction,
  sandbox: string,
  route: Route | undefined,
  caller: Caller | undefined,
  status: number | null,
) {
  const { documentsSecrets: mayBeSecret = false, hasSecretResponse = false, id = null } = route?.operation ?? {}
  const summary: CommonSummary = {
    sandbox: redaction.text(sandbox),
    method,
    url: redaction.url(url).slice(0, maxTargetLength),
    operation: id,
    caller: caller?.name ?? null,
    status,
    verdict: 'ok',
    violations: [],
    fault: null,
    preference: null,
    note: null,
  }
  const pathParameters = route?.pathParameters ?? {}
  const isSecret = hasSecretResponse && status !== null && status < 400
  return { summary, headers, pathParameters, isSecret, mayBeSecret, isLong: url.length > maxTargetLength }
}

type TruncatedProperty = RequestDetails['truncated'][number]

/** The most characters of the request target that are kept. */
const maxTargetLength = 2048

/** The most bytes of a body that are kept, 16 KiB. */
const maxBodyBytes = 16 * 1024

/** The approximate size of an entry without the head of the request and the bodies, bytes. */
const entryBytes = 1200

/** Returns the part of a response that the journal keeps: the header fields and the bytes as they were sent, and not more of a long body. */
const keptOf = onceForObject(({ bytes, headers, isShared }: EncodedResponse) => ({
  headers,
  isShared,
  start: bytes && startOf(bytes),
  size: bytes?.length ?? 0,
}))

/** An entry with few values of its own: V8 copies what outlives a request, which would take longer than to respond. */
class KeptRequest implements RecordedRequest {
  readonly id: string
  readonly common: CommonSummary
  readonly bytes: number
  readonly #receivedAt: number
  readonly #durationMs: number
  readonly #shared: SharedParts
  readonly #redaction: Redaction
  readonly #response: ReturnType<typeof keptOf> | undefined
  readonly #written: ReturnType<typeof writtenBy>

  constructor(context: RequestContext, redaction: Redaction, response: EncodedResponse | undefined) {
    const { caller, head, route, sandbox } = context
    this.id = context.id
    this.#shared = head.known(sharedParts, redaction, sandbox.name, route, caller, response?.status ?? null)
    this.common = summarize(context, this.#shared, redaction)
    this.#receivedAt = context.receivedAt
    this.#durationMs = performance.now() - context.startedAt
    this.#redaction = redaction
    this.#response = response && keptOf(response)
    this.#written = writtenBy(context, redaction)
    const { changesText, requestText } = this.#written ?? {}
    const own = (requestText?.length ?? 0) + (changesText?.length ?? 0) + (this.#response?.start?.length ?? 0)
    const messages = this.common.violations.reduce((sum, { message }) => sum + message.length, 0)
    this.bytes = entryBytes + head.text.length + own + messages
  }

  get summary(): RequestSummary {
    const { caller, method, operation, sandbox, status, url, ...others } = this.common
    const time = new Date(this.#receivedAt).toISOString()
    const durationMs = Math.round(this.#durationMs * 1000) / 1000
    return { id: this.id, time, sandbox, method, url, operation, caller, status, durationMs, ...others }
  }

  get pathParameters(): RecordedRequest['pathParameters'] {
    return this.#shared.pathParameters
  }

  get createdId(): string | undefined {
    return this.#written?.createdId
  }

  /** Most entries are never shown, so secrets are redacted only here. */
  details(): RequestDetails {
    const { headers, isLong, isSecret, mayBeSecret } = this.#shared
    const { changesText, requestText, size = 0 } = this.#written ?? {}
    const sent = this.common.method === 'HEAD' ? undefined : this.#response
    const responseHeaders = this.#response ? headersFor(this.#response, this.id) : {}
    const textOf = (bytes: Buffer, whole: number, mediaType: string | number = ''): string =>
      isSecret ? redacted : redactStart(bytes, whole, mediaType, mayBeSecret, this.#redaction)
    const changes = changesText === undefined || isSecret ? undefined : Buffer.from(changesText)
    const truncated: TruncatedProperty[] = []
    if (isLong) truncated.push('url')
    if (size > maxBodyBytes) truncated.push('requestBody')
    if (sent && sent.size > maxBodyBytes) truncated.push('responseBody')
    return {
      requestHeaders: this.#redaction.headers(headers),
      requestText,
      responseHeaders: this.#redaction.headers(responseHeaders),
      responseText: sent?.start && textOf(sent.start, sent.size, responseHeaders['content-type']),
      // The records are withheld like a body in which they may be sent.
      changesText: changes && textOf(changes, changes.length, 'application/json'),
      truncated,
    }
  }
}

/** Redacts a request at once: the journal must not keep a credential that no caller has. */
function withoutSecrets(recorded: KeptRequest): RecordedRequest {
  const { bytes, common, createdId, id, pathParameters, summary } = recorded
  const details = recorded.details()
  return { id, common, summary, bytes, createdId, pathParameters, details: () => details }
}

/** Returns what few requests have: a body or a change. @returns Undefined: the request has neither. */
function writtenBy({ change, createdId, head, requestBytes, route }: RequestContext, redaction: Redaction) {
  if (!requestBytes && !change) return undefined
  const { documentsSecrets = false, hasSecretRequest = false } = route?.operation ?? {}
  const { 'content-type': mediaType = '' } = head.headers
  const size = requestBytes?.length ?? 0
  const textOf = (bytes: Buffer): string =>
    hasSecretRequest ? redacted : redactStart(startOf(bytes), size, mediaType, documentsSecrets, redaction)
  // Not redacted, like the response. The two states themselves would take most of the memory of a journal.
  const changesText = change && JSON.stringify(describeChange(change))
  return { size, requestText: requestBytes && textOf(requestBytes), changesText, createdId }
}

/** Redacts the start of a body. @param size - The bytes of the whole body. */
function redactStart(
  start: Buffer,
  size: number,
  mediaType: string | number,
  mayBeSecret: boolean,
  redaction: Redaction,
): string {
  // A character that is cut at the end is left out.
  const text = new StringDecoder('utf8').write(start)
  return redactBody({ text, mediaType: String(mediaType), isCut: start.length < size, mayBeSecret }, size, redaction)
}

/** The first bytes of long bodies. To keep whole bodies would use memory that the journal does not count. */
const copyStart = onceForObject((bytes: Buffer) => Buffer.from(bytes.subarray(0, maxBodyBytes)))

const startOf = (bytes: Buffer): Buffer => (bytes.length > maxBodyBytes ? copyStart(bytes) : bytes)
