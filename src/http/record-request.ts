import { StringDecoder } from 'node:string_decoder'

import { essenceOf, isJson } from '../contract/media-types.js'
import { isObject } from '../documents/object.js'
import { countKeys, jsonIn, maxDocumentDepth, measureJson } from '../documents/parse-json.js'
import { onceFor } from '../once.js'
import { redacted, withheldBody } from '../redaction.js'
import { describeChange } from '../resources/records/diff.js'
import type { RecordedRequest, RequestDetails, RequestSummary } from '../sandbox/journal-entry.js'
import { type IsSecretName, joinPairs, namesSecret, pairsOf, type Redaction } from './redact-request.js'
import type { RequestContext } from './request-context.js'
import type { RequestHead } from './request-head.js'
import type { EncodedResponse } from './send-response.js'

export function recordRequest(context: RequestContext, redaction: Redaction, response?: EncodedResponse): void {
  const sent = context.request.socket.destroyed ? undefined : response
  const summary = summarize(context, sent?.status ?? null, redaction)
  const { isControl, options, route, sandbox } = context
  if (!isControl) {
    sandbox.journal.record(keepRequest(summary, context, redaction, sent))
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

/** A busy double receives several requests in a millisecond. */
let lastTime = { ms: 0, text: '' }

function isoTime(ms: number): string {
  if (lastTime.ms !== ms) lastTime = { ms, text: new Date(ms).toISOString() }
  return lastTime.text
}

const redactTarget = ({ url }: RequestHead, redaction: Redaction, sandbox: string) => ({
  sandbox: redaction.text(sandbox),
  url: redaction.url(url).slice(0, maxTargetLength),
})

const maxTargetLength = 2048

const maxBodyBytes = 16 * 1024

/** The approximate size of an entry without the head of the request and the bodies, bytes. */
const entryBytes = 1200

/**
 * Returns a request for the journal, with few values of its own: V8 copies what outlives a request, which would take longer than to respond.
 * Header fields, changes and the bytes of the response are kept as they were, and redacted when they are shown: most never are. The two states
 * of a change would take most of the memory of a journal.
 */
function keepRequest(
  summary: RequestSummary,
  { change, createdId, head: { headers, method, text, url }, requestBytes, route }: RequestContext,
  redaction: Redaction,
  response: EncodedResponse | undefined,
): RecordedRequest {
  const { documentsSecrets = false, hasSecretRequest, hasSecretResponse } = route?.operation ?? {}
  const toText = (start: Buffer, size: number, mediaType?: string | number): string =>
    redactStart(start, size, mediaType, documentsSecrets, redaction)
  const requestStart = requestBytes && startOf(requestBytes)
  const requestText =
    requestStart && (hasSecretRequest ? redacted : toText(requestStart, requestBytes.length, headers['content-type']))
  const sent = method === 'HEAD' ? undefined : response?.bytes
  const responseStart = sent && startOf(sent)
  const responseSize = sent?.length ?? 0
  const responseHeaders = response?.headers ?? {}
  const truncated = truncatedProperties(url, requestBytes, sent)
  const changesText = change && JSON.stringify(describeChange(change))
  const kept = [text, requestText, changesText, responseStart, ...summary.violations.map(({ message }) => message)]
  const bytes = kept.reduce((sum, each) => sum + (each?.length ?? 0), entryBytes)
  const details = (): RequestDetails => {
    const isSecret = hasSecretResponse === true && summary.status !== null && summary.status < 400
    const show = (start: Buffer | undefined, size: number, mediaType: string | number | undefined) =>
      start && (isSecret ? redacted : toText(start, size, mediaType))
    // The records are withheld like a body in which they may be sent.
    const changes = changesText === undefined || isSecret ? undefined : Buffer.from(changesText)
    return {
      requestHeaders: redaction.headers(headers),
      requestText,
      responseHeaders: redaction.headers(responseHeaders),
      responseText: show(responseStart, responseSize, responseHeaders['content-type']),
      changesText: show(changes, changes?.length ?? 0, 'application/json'),
      truncated,
    }
  }
  const entry = { summary, bytes, createdId, pathParameters: route?.pathParameters ?? {} }
  // The journal must not keep a credential that no caller has, so it is redacted at once.
  const shown = redaction.hasOwnSecrets ? details() : undefined
  return { ...entry, details: shown ? () => shown : details }
}

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

/** Entries share one empty list: the journal may keep thousands. */
const none: RequestDetails['truncated'] = []

function truncatedProperties(target: string, requestBytes: Buffer | undefined, sent: Buffer | undefined) {
  const isCut = { url: target.length > maxTargetLength, requestBody: isLong(requestBytes), responseBody: isLong(sent) }
  const names = (['url', 'requestBody', 'responseBody'] as const).filter((name) => isCut[name])
  return names.length === 0 ? none : names
}

const isLong = (bytes: Buffer | undefined): boolean => (bytes?.length ?? 0) > maxBodyBytes

/** The first bytes of long bodies. To keep whole bodies would use memory that the journal does not count. */
const copyStart = onceFor((bytes: Buffer) => Buffer.from(bytes.subarray(0, maxBodyBytes)), new WeakMap())

const startOf = (bytes: Buffer): Buffer => (isLong(bytes) ? copyStart(bytes) : bytes)

interface BodyText {
  readonly text: string
  readonly mediaType: string
  /** True if the text is only the start of the body. It may then end with the start of a secret, which is redacted too. */
  readonly isCut: boolean
  readonly mayBeSecret: boolean
}

/**
 * Redacts the secrets in a body of a size: the values of names that hold credentials in JSON and in a form, then known secrets anywhere. A body
 * that is none of these may hide a secret. If its operation documents one, or the body names one, only its size and media type are kept.
 */
function redactBody(body: BodyText, size: number, redaction: Redaction): string {
  const named = redactNamed(body, redaction.isSecretName)
  if (named === undefined) return withheldBody(size, essenceOf(body.mediaType))
  // An ellipsis tells the redaction that a secret may be cut.
  return body.isCut ? redaction.text(`${named}…`).replace(/…$/u, '') : redaction.text(named)
}

/** Redacts the values of names that hold credentials. @returns Undefined if the body may have a secret in a place that is not known. */
function redactNamed(body: BodyText, isSecret: IsSecretName): string | undefined {
  const { isCut, mayBeSecret, mediaType, text } = body
  const essence = essenceOf(mediaType)
  // A client may send JSON with any media type, or with none.
  const isStructured = isJson(mediaType) || essence === form || essence === multipart
  if (isJson(mediaType) || /^\s*[{[]/u.test(text)) {
    const json = redactJson(body, isSecret)
    if (json !== undefined) return json
  }
  const decoded = essence === form ? redactForm(text, isSecret) : undefined
  if (decoded !== undefined) return decoded
  const isProse = !isStructured && !isCut && /^text\/|[/+]xml$/u.test(essence)
  return mayBeSecret || namesSecret(text, isSecret, isProse) ? undefined : text
}

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** Redacts the strings and numbers of secret properties and below them. @returns Undefined if the text is not JSON. */
function redactJson({ mayBeSecret, text }: BodyText, isSecret: IsSecretName): string | undefined {
  const { depth, keys } = measureJson(Buffer.from(text))
  const value = depth > maxDocumentDepth ? undefined : jsonIn(text)
  if (value === undefined) return undefined
  // The first of two equal keys may have a secret.
  let isChanged = countKeys(value) !== keys
  const redactValue = (each: unknown, name: string, isInSecret: boolean): unknown => {
    if (typeof each === 'string' || typeof each === 'number') {
      // JSON or a form in a string, for example, names a secret.
      const isPlain = typeof each === 'number' || !namesSecret(each, isSecret, true)
      const isShown = isInSecret ? isCount(each, name) : isPlain
      isChanged ||= !isShown
      return isShown ? each : redacted
    }
    if (Array.isArray(each)) return each.map((item) => redactValue(item, name, isInSecret))
    if (!isObject(each)) return each
    // Where the operation documents a password, a client may have sent it as a name inside of the password's place.
    const hidesKeys = isInSecret && mayBeSecret
    isChanged ||= hidesKeys
    const entries = Object.entries(each).map(([key, inner]) => [
      hidesKeys ? redacted : key,
      redactValue(inner, isInSecret ? name : key, isInSecret || isSecret(key)),
    ])
    return Object.fromEntries(entries)
  }
  // A body that is one value has no name. It may be the secret that the operation documents.
  const shown = redactValue(value, '', mayBeSecret && typeof value !== 'object')
  return isChanged ? JSON.stringify(shown) : text
}

/** Tells whether a value of a secret name is no credential: a number under a name such as `max_tokens` is a count. */
const isCount = (value: number | string, name: string): boolean => typeof value === 'number' && /tokens$/iu.test(name)

/** Redacts a form. @returns Undefined unless the text is percent-encoded as a form is, with a value for each name. */
function redactForm(text: string, isSecret: IsSecretName): string | undefined {
  if (!/^[\w!$%&'()*+,./:;=?@~|[\]-]*$/u.test(text)) return undefined
  const pairs = pairsOf(text, isSecret)
  return pairs.every(({ hasValue }) => hasValue) ? joinPairs(pairs) : undefined
}
