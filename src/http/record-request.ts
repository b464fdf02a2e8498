import { StringDecoder } from 'node:string_decoder'

import { onceForObject } from '../once.js'
import { redacted } from '../redaction.js'
import { describeChange } from '../resources/records/diff.js'
import type { RecordedRequest, RequestDetails, RequestSummary } from '../sandbox/journal-entry.js'
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
    const kept = keepRequest(summary, context, redaction, sent)
    sandbox.journal.record(redaction.hasOwnSecrets ? withoutSecrets(kept) : kept)
    if (route && sent) sandbox.coverage.count(route.operation.id, sent.status)
    if (route && sent) sandbox.wholeCoverage.count(route.operation.id, sent.status)
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
    time: new Date(context.receivedAt).toISOString(),
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

type TruncatedProperty = RequestDetails['truncated'][number]

/** The most characters of the request target that are kept. */
const maxTargetLength = 2048

/** The most bytes of a body that are kept, 16 KiB. */
const maxBodyBytes = 16 * 1024

/** The approximate size of an entry without the head of the request and the bodies, bytes. */
const entryBytes = 1200

/**
 * Makes an entry of the journal, with few values of its own: V8 copies what outlives a request, which would take longer than to respond. Header
 * fields and the bytes of the response are kept as they were sent, and redacted when they are shown: most never are.
 */
function keepRequest(
  summary: RequestSummary,
  { change, createdId, head, requestBytes, route }: RequestContext,
  redaction: Redaction,
  response: EncodedResponse | undefined,
): RecordedRequest {
  const { headers, method, text, url } = head
  const { documentsSecrets = false, hasSecretRequest, hasSecretResponse } = route?.operation ?? {}
  const responseHeaders = response?.headers ?? {}
  const toText = (start: Buffer, size: number, mediaType: string | number = ''): string =>
    redactStart(start, size, String(mediaType), documentsSecrets, redaction)
  const requestType = headers['content-type']
  const requestText =
    requestBytes && (hasSecretRequest ? redacted : toText(startOf(requestBytes), requestBytes.length, requestType))
  const sent = method === 'HEAD' ? undefined : response?.bytes
  const responseStart = sent && startOf(sent)
  const [responseSize, responseType] = [sent?.length ?? 0, responseHeaders['content-type']]
  const truncated = truncatedProperties(url, requestBytes, sent)
  // Not redacted, like the response. The two states themselves would take most of the memory of a journal.
  const changesText = change && JSON.stringify(describeChange(change))
  const isSecret = hasSecretResponse === true && summary.status !== null && summary.status < 400
  const details = (): RequestDetails => {
    const changes = changesText === undefined || isSecret ? undefined : Buffer.from(changesText)
    return {
      requestHeaders: redaction.headers(headers),
      requestText,
      responseHeaders: redaction.headers(responseHeaders),
      responseText: responseStart && (isSecret ? redacted : toText(responseStart, responseSize, responseType)),
      // The records are withheld like a body in which they may be sent.
      changesText: changes && toText(changes, changes.length, 'application/json'),
      truncated,
    }
  }
  const kept = [text, requestText, changesText, responseStart]
  const sizes = [...kept, ...summary.violations.map(({ message }) => message)]
  const bytes = sizes.reduce((sum, each) => sum + (each?.length ?? 0), entryBytes)
  return { summary, bytes, createdId, pathParameters: route?.pathParameters ?? {}, details }
}

/** Redacts a request at once: the journal must not keep a credential that no caller has. */
function withoutSecrets(kept: RecordedRequest): RecordedRequest {
  const { bytes, createdId, pathParameters, summary } = kept
  const details = kept.details()
  return { summary, bytes, createdId, pathParameters, details: () => details }
}

/** Redacts the start of a body. @param size - The bytes of the whole body. */
function redactStart(start: Buffer, size: number, mediaType: string, mayBeSecret: boolean, redaction: Redaction) {
  // A character that is cut at the end is left out.
  const text = new StringDecoder('utf8').write(start)
  return redactBody({ text, mediaType, isCut: start.length < size, mayBeSecret }, size, redaction)
}

function truncatedProperties(target: string, requestBytes: Buffer | undefined, sent: Buffer | undefined) {
  const truncated: TruncatedProperty[] = []
  if (target.length > maxTargetLength) truncated.push('url')
  if (isLong(requestBytes)) truncated.push('requestBody')
  if (isLong(sent)) truncated.push('responseBody')
  return truncated
}

const isLong = (bytes: Buffer | undefined): boolean => (bytes?.length ?? 0) > maxBodyBytes

/** The first bytes of long bodies. To keep whole bodies would use memory that the journal does not count. */
const copyStart = onceForObject((bytes: Buffer) => Buffer.from(bytes.subarray(0, maxBodyBytes)))

const startOf = (bytes: Buffer): Buffer => (isLong(bytes) ? copyStart(bytes) : bytes)
