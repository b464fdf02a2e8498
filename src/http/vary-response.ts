/** Varies responses within the contract, and reads what a client sends back as it saw it. Faults, streams and bytes are not varied. */
import { Readable } from 'node:stream'

import { decodePercent } from '../addresses.js'
import type { Json, OperationRequest, OperationResponse } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import { mapValues } from '../documents/object.js'
import { valueAt } from '../documents/pointer.js'
import { kinds, type VariedMessage } from '../vary/kinds.js'
import { restore } from '../vary/lens.js'
import { isLegal, variedResponse } from '../vary/variations.js'
import { delay } from './delay.js'
import type { Redaction } from './redact-request.js'
import type { RequestContext, Step } from './request-context.js'
import { type EncodedResponse, headersFor } from './send-response.js'
import { withoutObjects } from './service-plane.js'

const slowMs = 200

/** Delays the response of an operation, if that is varied. */
export const slowDown: Step = (context) => {
  const { contract, fault, isControl, operation, sandbox } = context
  if (isControl || fault) return undefined
  const unit = `slow ${operation.id}`
  sandbox.variations.note(unit, contract, operation.at)
  if (!sandbox.variations.wants(unit)) return undefined
  context.variations.push(unit)
  return delay(slowMs, context).then(() => undefined)
}

const isVaried = ({ fault, isControl, route }: RequestContext, { body }: OperationResponse): boolean =>
  !isControl && fault === undefined && route !== undefined && !Buffer.isBuffer(body) && !(body instanceof Readable)

export function varyResponse(context: RequestContext, response: OperationResponse): OperationResponse {
  const { body, mediaType } = response
  if (!isVaried(context, response) || typeof body !== 'object' || body === null || !isJson(mediaType)) return response
  const { variations } = context.sandbox
  const varied = variedResponse(context.options.service(), context.operation, response)
  variations.noteBody(varied, body)
  if (!variations.isOn) return response
  const { body: next, units } = variations.vary(varied, body)
  context.variations.push(...units)
  return next === body ? response : { ...response, body: next, text: undefined }
}

/** The most responses of an operation with a status that are searched for units. A long one counts as many times as it has parts of this size. */
const mostSearched = 20
const partSize = 64 * 1024

/** Varies what is sent by the units that are on: the text of JSON, header fields, and how they are written. */
export function varyMessage(
  context: RequestContext,
  response: OperationResponse,
  encoded: EncodedResponse,
  redaction: Redaction,
): EncodedResponse {
  const { bytes, status } = encoded
  if (!isVaried(context, response)) return encoded
  const { contract, operation, options, sandbox } = context
  const { variations } = sandbox
  const place = `${operation.id} ${status}`
  const parts = Math.ceil((bytes?.length ?? 1) / partSize)
  if (variations.countSearch(place, parts) >= mostSearched && !variations.isOn) return encoded
  const headers = headersFor(encoded, context.id)
  const json = bytes && isJson(String(headers['content-type'])) ? String(bytes) : undefined
  // The journal could not find a secret that is written in another way.
  const text = json === undefined || redaction.text(json) === json ? json : undefined
  const hasIntegerFractions = !/(?:2|3)\.0$/u.test(contract.format)
  const message: VariedMessage = { headers, text, hasBody: Boolean(bytes?.length), hasIntegerFractions }
  for (const [kind, { message: vary }] of Object.entries(kinds)) {
    const unit = `${kind} ${place}`
    const isOn = variations.wants(unit)
    const next = vary && (isOn || !variations.seen.has(unit)) ? vary(message) : undefined
    if (!next) continue
    variations.note(unit, contract, [...operation.at, 'responses', String(status)], () =>
      isLegal(variedResponse(options.service(), operation, response), headersOf(next)),
    )
    if (!isOn || !variations.seen.get(unit)?.isLegal()) continue
    Object.assign(message, next)
    context.variations.push(unit)
  }
  if (context.variations.length === 0) return encoded
  variations.count(context.variations)
  const sent = message.text === text ? bytes : Buffer.from(message.text ?? '')
  const length = message.headers['content-length'] === undefined ? {} : { 'content-length': sent?.length ?? 0 }
  return { ...encoded, isShared: false, bytes: sent, headers: { ...message.headers, ...length }, writing: message }
}

function headersOf({ headers = {} }: Partial<VariedMessage>): Partial<OperationResponse> {
  const { 'content-type': mediaType, ...others } = headers
  return mediaType === undefined ? {} : { mediaType: String(mediaType), headers: mapValues(others, String) }
}

/** Replaces what a client sends as it saw it by what it stands for. The names of what clients write are noted. */
export function restoreSent(context: RequestContext, sent: OperationRequest): Json | undefined {
  const { body, content, headers, path } = sent
  const { caller, head, isControl, operation, options, sandbox } = context
  const { method } = head
  const { store, variations } = sandbox
  if (isControl || typeof body !== 'object' || body === null) return body
  variations.noteWritten(body)
  const service = options.service()
  const own = service.decisionFor(operation)
  if (!variations.isOn || (method !== 'PUT' && method !== 'PATCH') || !('collection' in own)) return body
  const { model } = service.resources.collections.find(({ name }) => name === own.collection) ?? {}
  const id = decodePercent(Object.values(path).at(-1) ?? '')
  let restored: unknown = body
  for (const shown of service.contract.operations) {
    const decision = service.decisionFor(shown)
    if (shown.method !== 'GET' || !('collection' in decision) || decision.collection !== own.collection) continue
    const list = decision.role === 'list' && typeof model?.listBody === 'object' ? model.listBody : undefined
    if (shown.path !== operation.path && !list) continue
    const { parameters } = service.contract.checkRequest(shown, { path, query: '', headers })
    const request = { path: withoutObjects(parameters.path), query: {}, headers: {} }
    const outcome = decision.handler(store.pending, caller, request, { clock: { now: '' }, url: 'http://localhost/' })
    if ('error' in outcome || typeof outcome.body !== 'object' || outcome.body === null) continue
    const response = { ...outcome, mediaType: outcome.mediaType ?? '' }
    const { body: seen } = variations.vary(variedResponse(service, shown, response), outcome.body)
    const [items = [], seenItems = []] = [outcome.body, seen].map((each) => (list ? list.itemsIn(each) : [each]))
    const at = list ? items.findIndex((item) => String(valueAt(item, model?.idPath ?? [])) === id) : 0
    if (at >= 0) restored = restore(restored, seenItems[at], items[at], method === 'PUT' ? content?.schema : undefined)
  }
  return restored as Json
}
