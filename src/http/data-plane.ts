import { essenceOf } from '../contract/bodies/media-types.js'
/** The service as a plane: bearer tokens, stateful operations by their roles, and mocked ones. */
import type { Json, Operation, OperationResponse, ParameterPlaces, Violation } from '../contract/contract.js'
import type { Service } from '../contract/load-service.js'
import { createError } from '../errors.js'
import type { ParameterValue, ResourceRequest, ResourceResponse } from '../resources/handler.js'
import type { State } from '../resources/records/state.js'
import type { StatefulDecision } from '../resources/resources.js'
import { callerWithToken } from '../state/callers.js'
import { bearerToken } from './bearer-token.js'
import { documentedStatus } from './error-status.js'
import type { ValidRequest, HandlerResult, Plane } from './plane.js'
import type { RequestContext } from './request-context.js'
import { resourceError } from './resource-error.js'
import { errorResponse } from './send-response.js'

/** Makes the plane of a service. */
export function createDataPlane(service: Service): Plane {
  return {
    contract: service.contract,
    authorize,
    handle: (exchange, operation, request) => {
      const decision = service.decisionFor(operation)
      return decision.role === 'mocked'
        ? mock(service, operation, request)
        : serve(exchange, operation, request, decision)
    },
  }
}

function authorize(exchange: RequestContext, operation: Operation): void {
  if (!operation.secured) return
  const token = bearerToken(exchange.request)
  exchange.caller = callerWithToken(stateFor(operation, exchange), token)
  if (!exchange.caller)
    throw createError('unknown_token', undefined, {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
}

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD'

/** Reads use the committed state; writes build on the pending state. */
function stateFor(operation: Operation, { sandbox }: RequestContext): State {
  return isRead(operation) ? sandbox.store.committed : sandbox.store.pending
}

function serve(
  exchange: RequestContext,
  operation: Operation,
  request: ValidRequest,
  { match, handler }: StatefulDecision,
): HandlerResult {
  const { store } = exchange.sandbox
  exchange.violations.push(...findUnused(request.places, match.acts))
  const now = new Date().toISOString()
  const outcome = handler(stateFor(operation, exchange), exchange.caller, toResourceRequest(exchange, request), { now })
  // Even a 404 may rest on a removal that is not in the file yet.
  const settled = isRead(operation) ? undefined : () => store.flush()
  if ('error' in outcome) {
    const error = resourceError(outcome, operation)
    const { code, location, message } = error
    if (location) exchange.violations.push({ location, severity: 'Error', code, message })
    return { response: errorResponse(error, documentedStatus(operation, error)), commit: settled, note: outcome.note }
  }
  const { next } = outcome
  return { response: toReply(exchange, outcome), commit: next ? () => store.commit(next) : settled }
}

function toResourceRequest({ request }: RequestContext, { body, places }: ValidRequest): ResourceRequest {
  const contentType = request.headers['content-type']
  return {
    path: scalars(places.path),
    query: scalars(places.query),
    body,
    ...(contentType === undefined ? {} : { mediaType: essenceOf(contentType) }),
  }
}

/** The values that a role may act on: no objects. */
const scalars = (values: ParameterPlaces['query']): Readonly<Record<string, ParameterValue>> =>
  Object.fromEntries(Object.entries(values).filter((pair): pair is [string, ParameterValue] => isActedOn(pair[1])))

const isScalar = (value: Json): value is string | number | boolean => typeof value !== 'object'

const isActedOn = (value: Json): value is ParameterValue =>
  Array.isArray(value) ? value.every((item: Json) => isScalar(item)) : isScalar(value)

/** Warns of parameters that are validated and have no effect. */
function findUnused({ cookie, header, query }: ParameterPlaces, acts: StatefulDecision['match']['acts']): Violation[] {
  return Object.entries({ query, header, cookie }).flatMap(([place, values]) =>
    Object.keys(values)
      .filter((name) => place !== 'query' || !acts?.has(name) || acts.get(name) === 'none')
      .map((name): Violation => ({
        location: ['request', place === 'header' ? 'headers' : place, name],
        severity: 'Warning',
        code: 'not_acted_on',
        message: `${names[place] ?? ''} parameter ${name} is validated and has no effect.`,
      })),
  )
}

const names: Readonly<Record<string, string>> = { query: 'Query', header: 'Header', cookie: 'Cookie' }

function toReply(
  exchange: RequestContext,
  { body, headers, mediaType = '', status }: ResourceResponse,
): OperationResponse {
  const { location } = headers
  const prefix = exchange.isPrefixed ? exchange.sandbox.basePath : ''
  return {
    status,
    headers: location === undefined ? headers : { ...headers, location: prefix + location },
    mediaType,
    body,
  }
}

async function mock(
  { contract }: Service,
  operation: Operation,
  { path, query }: ValidRequest,
): Promise<HandlerResult> {
  const reply = await contract.mockResponse(operation, { path, query, headers: {} }, {})
  if (typeof reply === 'string') throw createError('reply_violation', { operation: operation.id, violations: [reply] })
  return { response: { ...reply, headers: { ...reply.headers, 'x-double': 'mocked' } } }
}
