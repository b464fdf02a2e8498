/** The Insights service as a plane: bearer tokens, and handlers that are pure. */
import type { Contract, Operation } from '../contract/contract.js'
import { DoubleError, createError } from '../errors.js'
import { handlers } from '../insights/handlers.js'
import type { State } from '../state/state.js'
import { callerWithToken } from '../state/state.js'
import { bearerToken } from './bearer-token.js'
import type { ValidRequest, HandlerResult, Plane } from './plane.js'
import type { RequestContext } from './request-context.js'
import { errorResponse } from './send-response.js'

/** Makes the plane of the Insights service. */
export function createDataPlane(contract: Contract): Plane {
  return {
    contract,
    authorize,
    handle: (exchange, operation, request) => serve(exchange, operation, request) ?? mock(contract, operation, request),
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

/** Whoever reads sees what is saved. Whoever changes builds on the changes before, saved or not. */
function stateFor(operation: Operation, { sandbox }: RequestContext): State {
  return isRead(operation) ? sandbox.store.committed : sandbox.store.pending
}

function serve(
  exchange: RequestContext,
  operation: Operation,
  { parameters }: ValidRequest,
): HandlerResult | undefined {
  const { caller, sandbox } = exchange
  const handler = handlers.get(operation.id)
  if (!handler) return undefined
  const { store } = sandbox
  const answer = handler({ before: sandbox.fixture.state, state: stateFor(operation, exchange), caller, parameters })
  // Even a 404 may rest on a delete that is not in the file yet.
  const commit = isRead(operation) ? undefined : () => store.flush()
  if (answer instanceof DoubleError) return { response: errorResponse(answer), commit, note: answer.note }
  const { body, next } = answer
  return {
    response: { status: operation.successStatus, headers: {}, mediaType: 'application/json', body },
    commit: next ? () => store.commit(next) : commit,
  }
}

async function mock(contract: Contract, operation: Operation, { path, query }: ValidRequest): Promise<HandlerResult> {
  const reply = await contract.mockResponse(operation, { path, query, headers: {} }, {})
  if (typeof reply === 'string') throw createError('reply_violation', { operation: operation.id, violations: [reply] })
  return { response: { ...reply, headers: { ...reply.headers, 'x-double': 'mocked' } } }
}
