import { hash } from 'node:crypto'

import { documentedResponse, headerSchema } from '../contract/contract.js'
import type { Json, Operation, OperationResponse, ParameterPlaces } from '../contract/contract.js'
import { essenceOf } from '../contract/media-types.js'
import { findKeyword } from '../contract/schemas/read-schema.js'
import { brokenRule, type Violation } from '../contract/violation.js'
import { isObject } from '../documents/object.js'
import { valueAt } from '../documents/pointer.js'
import { createError, type DoubleError } from '../http-errors.js'
import { onceForObject } from '../once.js'
import { effectOfHeader, keyHeader } from '../resources/http-effects.js'
import type { Service } from '../resources/load-service.js'
import { operationOverrideOf } from '../resources/read-overrides.js'
import type { State } from '../resources/records/state.js'
import type {
  Decision,
  MockedDecision,
  ParameterValue,
  RequestHandler,
  ResourceError,
  ResourceRequest,
  ResourceResponse,
  StatefulDecision,
} from '../resources/roles/role.js'
import { callUserHandler, type HandlerResponse, type HandlerSettings } from './call-user-handler.js'
import { findCaller } from './credentials.js'
import { errorResponse, violationsOf } from './error-response.js'
import type { OperationResult, RequestContext, Plane, ValidRequest } from './request-context.js'
import { createRouter } from './router.js'

export function createServicePlane(service: Service, own: Pick<HandlerSettings, 'onLateError' | 'timeoutMs'>): Plane {
  const { contract, resources, userHandlers: handlers } = service
  const settings = handlers && { handlers, resources, ...own }
  return {
    contract,
    router: createRouter(contract),
    authorize: (context) => {
      context.caller = context.head.known(findCaller, context.operation, stateFor(context).callers)
    },
    handle: (context) => {
      const decision = service.decisionFor(context.operation)
      if (settings && handlers.byOperation.has(context.operation.id))
        return callHandlerOfUser(context, decision, settings)
      return decision.role === 'mocked' ? mock(context, decision) : callRole(context, decision)
    },
  }
}

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD'

/** Reads use the committed state; writes build on the pending state. */
const stateFor = ({ operation, sandbox }: RequestContext): State =>
  isRead(operation) ? sandbox.store.committed : sandbox.store.pending

/** A response may depend on a pending change: a 404 may be the result of a removal that is not saved yet. */
const flushFor = ({ operation, sandbox }: RequestContext): (() => Promise<void>) | undefined =>
  isRead(operation) ? undefined : () => sandbox.store.flush()

function callRole(context: RequestContext, decision: StatefulDecision): OperationResult {
  const { sandbox } = context
  context.violations.push(...warningsOf(decision)(context.validRequest))
  const flush = flushFor(context)
  const key = decision.httpEffects.includes('idempotency') ? keyOf(context) : undefined
  const earlier = key && sandbox.keptResponses.get(key.name)
  if (earlier && earlier.sent !== key.sent) throw createError('idempotency_key_used', undefined)
  if (earlier) {
    const replayed = withReplayHeader(earlier.response, context.operation)
    return { response: replayed, commit: flush, note: 'the response to the first request with its key' }
  }
  const { next, note, record, response } = respondByRole(context, decision, stateFor(context))
  record?.()
  const save = next ? (): Promise<void> => sandbox.store.commit(next) : flush
  if (!key || response.status >= 500) return { response, commit: save, note }
  const keep = async (): Promise<void> => {
    // At once, so that a parallel request gets the same response.
    const kept = sandbox.keptResponses.set(key.name, { sent: key.sent, response })
    const [oldest = ''] = kept.keys()
    if (kept.size > 1000) kept.delete(oldest)
    await save?.().catch((error: unknown) => {
      kept.delete(key.name)
      throw error
    })
  }
  return { response, commit: keep, note }
}

/** Adds the documented header that tells that a response is that of an earlier request, such as `Idempotent-Replayed`. */
function withReplayHeader(response: OperationResponse, operation: Operation): OperationResponse {
  const { headers = [] } = documentedResponse(operation, response.status) ?? {}
  const name = headers.find((each) => /\breplay(?:ed)?\b/iu.test(each))
  return name === undefined ? response : { ...response, headers: { ...response.headers, [name]: 'true' } }
}

/** Returns the idempotency key of a request, for its caller and operation, and what it sends. Undefined: it has none. */
function keyOf({ caller, koa, operation: { id, parameters }, request, requestBytes }: RequestContext) {
  const key = parameters.map(({ name }) => keyHeader.test(name) && request.headers[name.toLowerCase()]).find(Boolean)
  const sent = `${koa.url} ${hash('sha256', requestBytes ?? '')}`
  return key ? { name: JSON.stringify([id, caller?.name, key]), sent } : undefined
}

function respondByRole(context: RequestContext, decision: StatefulDecision, state: State): HandlerResponse {
  const outcome = callWith(context, state, decision.handler, isOrderVaried(context, decision))
  if ('error' in outcome) return respondWithError(context, outcome)
  const record = (): void => {
    context.createdId = outcome.createdId
    for (const name of outcome.notStored ?? [])
      context.violations.push(notActedOn(name, 'body', 'Body property', 'a record cannot have its value'))
  }
  return { response: toResponse(context, outcome), next: outcome.next, record }
}

function callWith<T>(context: RequestContext, state: State, handle: RequestHandler<T>, isReversed = false): T {
  const { caller, head, host, sandbox: clock, validRequest } = context
  // Proxies get an absolute target.
  const url = head.url.startsWith('/') ? `http://${host || 'localhost'}${head.url}` : head.url
  return handle(state, caller, toResourceRequest(validRequest), { clock, url, isReversed })
}

function respondWithError(context: RequestContext, failure: ResourceError): HandlerResponse {
  const error = resourceError(failure, context.operation)
  const response = errorResponse(error, context.contract, context.operation, context.occurrence)
  const record = (): void => void context.violations.push(...violationsOf(error))
  return { response, next: undefined, note: failure.note, record }
}

/** Tells whether a list is shown in another order: that is varied, no order is promised, and no parameter sorts it. */
function isOrderVaried(context: RequestContext, { httpEffects, match: { effects }, role }: StatefulDecision): boolean {
  if (role !== 'list') return false
  const { contract, fault, operation, sandbox, validRequest } = context
  const unit = `order ${operation.id} ${operation.successStatus}`
  if (sandbox.variations.seen.has(unit) && !sandbox.variations.isOn) return false
  const isSorted = Object.keys(validRequest.parameters.query).some((name) => effects?.get(name)?.kind === 'sort')
  const isPromised = httpEffects.includes('order') || operationOverrideOf(operation).isOrderPromised
  if (isSorted || isPromised || fault) return false
  const [content] = documentedResponse(operation, operation.successStatus)?.contents ?? []
  const path = ['responses', String(operation.successStatus), 'content', content?.mediaType ?? '', 'schema']
  sandbox.variations.note(unit, contract, [...operation.at, ...path])
  const isVaried = sandbox.variations.wants(unit)
  if (isVaried) context.variations.push(unit)
  return isVaried
}

/** Calls the handler of a user. Its `next()` returns the response of the role or the mocked one. */
function callHandlerOfUser(context: RequestContext, decision: Decision, settings: HandlerSettings) {
  const { store } = context.sandbox
  // The handler may change the state with any method, so it always builds on the pending state.
  const call = (respond: (state: State) => HandlerResponse): OperationResult => {
    const state = store.pending
    const { next, response } = callUserHandler(context, settings, state, () => respond(state))
    return { response, commit: next ? () => store.commit(next) : () => store.flush() }
  }
  if (decision.role !== 'mocked') return call((state) => respondByRole(context, decision, state))
  // Nothing may happen between the call and the commit, so the mocked response is awaited before the call.
  return mock(context, decision).then(
    ({ response }) =>
      () =>
        call(() => ({ response, next: undefined })),
    (error: unknown) => () =>
      call(() => {
        throw error
      }),
  )
}

const toResourceRequest = onceForObject(({ body, headers, parameters }: ValidRequest): ResourceRequest => {
  const { 'content-type': contentType } = headers
  return {
    path: withoutObjects(parameters.path),
    query: parameters.query,
    body,
    headers,
    ...(contentType === undefined ? {} : { mediaType: essenceOf(contentType) }),
  }
})

/** Returns the parameters of a path that can have an effect: those that are not objects. */
export const withoutObjects = (path: ParameterPlaces['path']): Readonly<Record<string, ParameterValue>> =>
  Object.fromEntries(Object.entries(path).filter((pair): pair is [string, ParameterValue] => isParameterValue(pair[1])))

const isParameterValue = (value: Json): value is ParameterValue =>
  [value].flat().every((item: unknown) => typeof item !== 'object')

const warningsOf = onceForObject((decision: StatefulDecision) =>
  onceForObject((request: ValidRequest) => warnOfUnused(request, decision)),
)

function warnOfUnused(request: ValidRequest, decision: StatefulDecision) {
  const { match } = decision
  const { effects, notStored = [] } = match
  const { body, parameters } = request
  const { cookie, header, query } = parameters
  const warnings: Violation[] = []
  for (const name in query) if (effects?.has(name) !== true) warnings.push(notActedOn(name, 'query', 'Query parameter'))
  for (const [name, { ignored = [], kind }] of effects ?? [])
    for (const part of kind === 'group' && Object.hasOwn(query, name) ? ignored : [])
      if (valueAt(query, part.split(/[[\]]+/u).filter(Boolean)) !== undefined)
        warnings.push(notActedOn(part, 'query', 'Query parameter'))
  for (const name of match.unusedIn?.(query) ?? []) warnings.push(notActedOn(name, 'query', 'The value of'))
  const isRequired = (name: string): boolean =>
    decision.operation.parameters.some(
      (each) => each.required && each.in === 'header' && each.name.toLowerCase() === name,
    )
  // A client has no choice but to send a required one.
  for (const name in header)
    if (!effectOfHeader(decision, name) && !isRequired(name))
      warnings.push(notActedOn(name, 'headers', 'Header parameter'))
  for (const name in cookie) warnings.push(notActedOn(name, 'cookie', 'Cookie parameter'))
  const objects = isObject(body) ? [body, ...Object.values(body).filter((each) => isObject(each))] : []
  for (const name of notStored)
    if (objects.some((each) => Object.hasOwn(each, name) || valueAt(each, name.split('.')) !== undefined))
      warnings.push(
        notActedOn(
          name,
          'body',
          'Body property',
          'no response documents it with such values, or clients cannot change it',
        ),
      )
  return warnings
}

const notActedOn = (name: string, place: string, kind: string, effect = 'has no effect'): Violation =>
  brokenRule('Warning', ['request', place, name], 'not_acted_on', `${kind} ${name} is validated, but ${effect}.`)

/** Tells whether a response can be sent as the same value each time, so that what follows from it is found once. */
const isImmutable = (outcome: ResourceResponse): outcome is ResourceResponse & OperationResponse =>
  Object.isFrozen(outcome) && outcome.mediaType !== undefined

function toResponse({ baseUrl, basePath, operation }: RequestContext, outcome: ResourceResponse): OperationResponse {
  const { body, headers, mediaType = '', status } = outcome
  const { location } = headers
  if (location === undefined) return isImmutable(outcome) ? outcome : { status, headers, mediaType, body }
  const documented = documentedResponse(operation, status)
  const format = documented && findKeyword(headerSchema(operation, documented, 'location'), 'format')
  const base = format === 'uri' || format === 'url' ? baseUrl : basePath
  return { status, headers: { ...headers, location: base + location }, mediaType, body }
}

async function mock(context: RequestContext, { findMissing }: MockedDecision): Promise<OperationResult> {
  const { contract, operation } = context
  const missing = findMissing && callWith(context, stateFor(context), findMissing)
  if (missing) {
    const { note, response } = respondWithError(context, missing)
    return { response, commit: flushFor(context), note }
  }
  const mocked = await contract.mockResponse(operation)
  if (typeof mocked === 'string')
    throw createError('reply_violation', { operation: operation.id, violations: [mocked] })
  return { response: { ...mocked, headers: { ...mocked.headers, 'x-double': 'mocked' } } }
}

function resourceError(failure: ResourceError, { id: operation }: Operation): DoubleError {
  const { clash, condition, error, id = '', parameter = '', validationErrors = [], ...named } = failure
  if (error === 'condition')
    return condition ? createError('condition_failed', { id, ...condition }) : createError('condition_missing', { id })
  const { property = '', value } = clash ?? {}
  const messages = validationErrors.map(({ message }) => message)
  // Each error takes the details that its message needs.
  const details = {
    ...named,
    id,
    operation,
    parameter,
    property,
    value: clash ? String(value) : '',
    validationErrors: messages,
  }
  return createError(error, details)
}
