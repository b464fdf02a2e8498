import { StringDecoder } from 'node:string_decoder'

import { decodePercent } from '../addresses.js'
import { onceFor } from '../once.js'
import { redacted } from '../redaction.js'
import { describeChange, type StateChange } from '../resources/records/diff.js'
import type { RecordedRequest, RequestDetails, RequestSummary, TruncatedProperty } from '../sandbox/journal-entry.js'
import { redactBody } from './redact-body.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'
import type { RequestHead } from './request-head.js'
import type { EncodedResponse } from './send-response.js'

export function recordRequest(context: RequestContext, redaction: Redaction, response?: EncodedResponse): void {
  const sent = context.request.socket.destroyed ? undefined : response
  const summary = summarize(context, sent?.status ?? null, redaction)
  const { isControl, options, route, sandbox } = context
  if (!isControl) {
    sandbox.journal.record(toEntry(summary, context, keepDetails(context, sent, redaction)))
    if (route && sent) sandbox.coverage.count(route.operation.id, sent.status)
  }
  try {
    options.onExchange(summary, isControl, sandbox.test)
  } catch (error) {
    // A listener's error does not concern the response.
    options.onFailure(context.id, error)
  }
}

/** Summarizes a request, without secrets. @param status - Null if no response is sent. */
function summarize(context: RequestContext, status: number | null, redaction: Redaction): RequestSummary {
  const { fault, head, note, options, preference, route } = context
  const { sandbox, url } = head.known(redactTarget, redaction, context.sandbox.name)
  const isJudged = !context.isControl && !fault && status !== null
  const evidence = isJudged && route && options.evidenceOf?.(route.operation, status, head.url)
  return {
    id: context.id,
    time: isoTime(context.receivedAt),
    sandbox,
    method: head.method,
    url,
    operation: route?.operation.id ?? null,
    caller: context.caller?.name ?? null,
    status,
    durationMs: Math.round((performance.now() - context.startedAt) * 1000) / 1000,
    verdict: context.violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok',
    violations: redaction.violations(context.violations),
    fault: fault?.id ?? null,
    preference: preference === undefined ? null : redaction.text(preference),
    note: note === undefined ? null : redaction.text(note),
    ...(context.variations.length === 0 ? {} : { variations: context.variations }),
    ...(evidence ? { evidence } : {}),
  }
}

const redactTarget = ({ url }: RequestHead, redaction: Redaction, sandbox: string) => ({
  sandbox: redaction.text(sandbox),
  url: redaction.url(url).slice(0, maxTargetLength),
})

/** A busy double receives several requests in a millisecond. */
let lastTime = { ms: 0, text: '' }

function isoTime(ms: number): string {
  if (lastTime.ms !== ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

/** The most characters of the request target that are kept. */
const maxTargetLength = 2048

/** The most bytes of a body that are kept, 16 KiB. */
const maxBodyBytes = 16 * 1024

/** The approximate size of an entry without the head of the request and the bodies, bytes. */
const entryBytes = 1200

/**
 * Header fields and the bytes of the response are kept as they were sent, and redacted when an entry is shown: most entries are never shown. If
 * the request has a credential that no caller has, they are redacted at once, because the journal must not keep it.
 */
function toEntry(
  summary: RequestSummary,
  { createdId, head, route }: RequestContext,
  kept: KeptDetails,
): RecordedRequest {
  const { redaction, requestText = '', responseBytes } = kept
  const details = redaction.hasOwnSecrets ? redactDetails(kept) : kept
  const ids = Object.values(route?.pathParameters ?? {})
  const texts = [requestText, ...summary.violations.map(({ message }) => message)]
  const change = kept.change ? sizeOfChange(kept.change) : 0
  const bytes = entryBytes + head.text.length + (responseBytes?.length ?? 0) + change
  return {
    summary,
    bytes: texts.reduce((sum, { length }) => sum + length, bytes),
    details: () => ('redaction' in details ? redactDetails(details) : details),
    isAbout: (recordId) =>
      createdId === recordId ||
      ids.some((id) => id === recordId || (id.includes('%') && decodePercent(id) === recordId)),
  }
}

/** The bytes that the states of a change do not share: mostly the lists of chunks of the changed collections. */
const sizeOfChange = ({ after, before }: StateChange): number =>
  [...after.collections]
    .filter(([name, records]) => records !== before.collections.get(name))
    .reduce((sum, [, { chunks }]) => sum + chunks.length * 8 + maxBodyBytes, 0)

type KeptDetails = ReturnType<typeof keepDetails>

/** @returns Header fields and bodies, as sent and received except for the text of the request, which is redacted. `sentBytes` is the size of the whole body. */
function keepDetails(
  { change, head: { headers, method, url }, requestBytes, route }: RequestContext,
  response: EncodedResponse | undefined,
  redaction: Redaction,
) {
  const { documentsSecrets = false, hasSecretRequest, hasSecretResponse } = route?.operation ?? {}
  const sent = method === 'HEAD' ? undefined : response?.bytes
  const toText = (bytes: Buffer): string =>
    redactStart(startOf(bytes), bytes.length, headers['content-type'], documentsSecrets, redaction)
  return {
    requestHeaders: headers,
    requestText: requestBytes && (hasSecretRequest ? redacted : toText(requestBytes)),
    responseHeaders: response?.headers ?? {},
    responseBytes: sent && startOf(sent),
    sentBytes: sent?.length ?? 0,
    truncated: truncatedProperties(url, requestBytes, sent),
    isSecretResponse: hasSecretResponse === true && response !== undefined && response.status < 400,
    mayBeSecret: documentsSecrets,
    redaction,
    change,
  }
}

function redactDetails(kept: KeptDetails): RequestDetails {
  const { isSecretResponse, mayBeSecret, redaction, responseBytes, responseHeaders, sentBytes } = kept
  const toText = (bytes: Buffer): string =>
    redactStart(bytes, sentBytes, responseHeaders['content-type'], mayBeSecret, redaction)
  return {
    requestHeaders: redaction.headers(kept.requestHeaders),
    requestText: kept.requestText,
    responseHeaders: redaction.headers(responseHeaders),
    responseText: responseBytes && (isSecretResponse ? redacted : toText(responseBytes)),
    changesText: changedRecords(kept),
    truncated: kept.truncated,
  }
}

/** Describes the changed records as JSON. They are withheld like a body in which they may be sent. */
function changedRecords({ change, isSecretResponse, mayBeSecret, redaction }: KeptDetails): string | undefined {
  if (!change || isSecretResponse) return undefined
  const bytes = Buffer.from(JSON.stringify(describeChange(change)))
  return redactStart(bytes, bytes.length, 'application/json', mayBeSecret, redaction)
}

/** Redacts the start of a body. @param size - The bytes of the whole body. */
function redactStart(
  start: Buffer,
  size: number,
  mediaType: string | number = '',
  mayBeSecret: boolean,
  redaction: Redaction,
): string {
  // A character that is cut at the end is left out.
  const text = new StringDecoder('utf8').write(start)
  return redactBody({ text, mediaType: String(mediaType), isCut: start.length < size, mayBeSecret }, size, redaction)
}

const none: readonly TruncatedProperty[] = []

function truncatedProperties(target: string, requestBytes: Buffer | undefined, sent: Buffer | undefined) {
  const truncated: TruncatedProperty[] = []
  if (target.length > maxTargetLength) truncated.push('url')
  if (isLong(requestBytes)) truncated.push('requestBody')
  if (isLong(sent)) truncated.push('responseBody')
  // Entries share one empty list: the journal may keep thousands.
  return truncated.length === 0 ? none : truncated
}

const isLong = (bytes: Buffer | undefined): boolean => (bytes?.length ?? 0) > maxBodyBytes

/** The first bytes of long bodies. To keep whole bodies would use memory that the journal does not count. */
const copyStart = onceFor((bytes: Buffer) => Buffer.from(bytes.subarray(0, maxBodyBytes)), new WeakMap())

const startOf = (bytes: Buffer): Buffer => (isLong(bytes) ? copyStart(bytes) : bytes)
