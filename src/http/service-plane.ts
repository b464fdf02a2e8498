/** The plane of the service: credentials, stateful operations by role, and mocked operations. */
import { essenceOf } from '../contract/bodies/media-types.js'
import type { Json, Operation, OperationResponse, ParameterPlaces, Violation } from '../contract/contract.js'
import type { Service } from '../contract/load-service.js'
import { createError } from '../errors.js'
import type { ParameterValue, ResourceRequest, ResourceResponse } from '../resources/handler-types.js'
import type { State } from '../resources/records/state.js'
import type { StatefulDecision } from '../resources/resources.js'
import { authorizeCaller } from './authorize-caller.js'
import { documentedStatus } from './documented-status.js'
import { errorResponse, violationOf } from './error-response.js'
import type { HandlerResult, Plane } from './plane.js'
import type { RequestContext } from './request-context.js'
import { resourceError } from './resource-error.js'
import { createRouter } from './router.js'

/** Creates the plane of a service. */
export function createServicePlane(service: Service): Plane {
  return {
    contract: service.contract,
    router: createRouter(service.contract),
    authorize: (context) => authorizeCaller(context, stateFor(context)),
    handle: (context) => {
      const decision = service.decisionFor(context.operation)
      return decision.role === 'mocked' ? mock(context) : callRole(context, decision)
    },
  }
}

/** Tells whether an operation only reads. */
const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD'

/** Reads use the committed state; writes build on the pending state. */
function stateFor({ operation, sandbox }: RequestContext): State {
  return isRead(operation) ? sandbox.store.committed : sandbox.store.pending
}

function callRole(context: RequestContext, { handler, match }: StatefulDecision): HandlerResult {
  const { operation, sandbox } = context
  const { store } = sandbox
  context.violations.push(...warnOfUnused(context.validRequest.parameters, match.acts))
  const outcome = handler(stateFor(context), context.caller, toResourceRequest(context), clock)
  // The response may depend on a pending change: a 404 on a removal that is not saved yet.
  const flush = isRead(operation) ? undefined : () => store.flush()
  if ('error' in outcome) {
    const error = resourceError(outcome, operation)
    if (error.location) context.violations.push(violationOf(error, error.location))
    return { response: errorResponse(error, documentedStatus(operation, error)), commit: flush, note: outcome.note }
  }
  const { createdId, next } = outcome
  context.createdId = createdId
  return { response: toResponse(context, outcome), commit: next ? () => store.commit(next) : flush }
}

/** The clock of the roles. It makes the text only for a role that needs it. */
const clock = {
  get now(): string {
    return new Date().toISOString()
  },
}

function toResourceRequest({ request, validRequest: { body, parameters } }: RequestContext): ResourceRequest {
  const contentType = request.headers['content-type']
  return {
    path: withoutObjects(parameters.path),
    query: withoutObjects(parameters.query),
    body,
    ...(contentType === undefined ? {} : { mediaType: essenceOf(contentType) }),
  }
}

/** Returns the parameters that a role can act on. These are not objects. */
const withoutObjects = (values: ParameterPlaces['query']): Readonly<Record<string, ParameterValue>> =>
  hasNoObject(values)
    ? values
    : Object.fromEntries(
        Object.entries(values).filter((pair): pair is [string, ParameterValue] => isParameterValue(pair[1])),
      )

function hasNoObject(values: ParameterPlaces['query']): values is Readonly<Record<string, ParameterValue>> {
  for (const name in values) if (!isParameterValue(values[name])) return false
  return true
}

const isScalar = (value: Json | undefined): value is string | number | boolean => typeof value !== 'object'

const isParameterValue = (value: Json | undefined): value is ParameterValue =>
  Array.isArray(value) ? value.every((item: Json) => isScalar(item)) : isScalar(value)

/** Returns a warning for each parameter without effect. */
function warnOfUnused(
  { cookie, header, query }: ParameterPlaces,
  acts: StatefulDecision['match']['acts'],
): Violation[] {
  const warnings: Violation[] = []
  for (const name in query) if ((acts?.get(name) ?? 'none') === 'none') warnings.push(noEffect('Query', 'query', name))
  for (const name in header) warnings.push(noEffect('Header', 'headers', name))
  for (const name in cookie) warnings.push(noEffect('Cookie', 'cookie', name))
  return warnings
}

const noEffect = (kind: string, place: string, name: string): Violation => ({
  location: ['request', place, name],
  severity: 'Warning',
  code: 'not_acted_on',
  message: `${kind} parameter ${name} is validated and has no effect.`,
})

function toResponse(
  { basePath }: RequestContext,
  { body, headers, mediaType = '', status }: ResourceResponse,
): OperationResponse {
  const { location } = headers
  return {
    status,
    headers: location === undefined ? headers : { ...headers, location: basePath + location },
    mediaType,
    body,
  }
}

async function mock({ contract, operation, validRequest }: RequestContext): Promise<HandlerResult> {
  const { path, query } = validRequest
  const mocked = await contract.mockResponse(operation, { path, query, headers: {} }, {})
  if (typeof mocked === 'string')
    throw createError('reply_violation', { operation: operation.id, violations: [mocked] })
  return { response: { ...mocked, headers: { ...mocked.headers, 'x-double': 'mocked' } } }
}
