/** The Insights service as a plane: bearer tokens, and handlers that are pure. */
import type { Contract, Operation } from '../contract/contract.js'
import { DoubleError, createError } from '../errors.js'
import { handlers } from '../insights/handlers.js'
import type { State } from '../state/state.js'
import { callerWithToken } from '../state/state.js'
import { bearerToken } from './bearer-token.js'
import { errorResponse } from './error-response.js'
import type { HandlerResult, Plane } from './plane.js'
import type { RequestContext } from './request-context.js'
import { createRouter } from './router.js'

/** Makes the plane of the Insights service. */
export function createDataPlane(contract: Contract): Plane {
  return {
    contract,
    router: createRouter(contract),
    authorize,
    handle: (context) => callRole(context) ?? mock(context),
  }
}

function authorize(context: RequestContext): void {
  if (!context.operation.secured) return
  const token = bearerToken(context.request)
  context.caller = callerWithToken(stateFor(context), token)
  if (!context.caller)
    throw createError('unknown_token', undefined, {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
}

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD'

/** Reads use the committed state; writes build on the pending state. */
function stateFor({ operation, sandbox }: RequestContext): State {
  return isRead(operation) ? sandbox.store.committed : sandbox.store.pending
}

function callRole(context: RequestContext): HandlerResult | undefined {
  const { caller, operation, sandbox } = context
  const { parameters } = context.validRequest
  const handler = handlers.get(operation.id)
  if (!handler) return undefined
  const { store } = sandbox
  const answer = handler({ before: sandbox.fixture.state, state: stateFor(context), caller, parameters })
  // Even a 404 may rest on a delete that is not in the file yet.
  const commit = isRead(operation) ? undefined : () => store.flush()
  if (answer instanceof DoubleError) return { response: errorResponse(answer), commit, note: answer.note }
  const { body, next } = answer
  return {
    response: { status: operation.successStatus, headers: {}, mediaType: 'application/json', body },
    commit: next ? () => store.commit(next) : commit,
  }
}

async function mock({ contract, operation, validRequest }: RequestContext): Promise<HandlerResult> {
  const { path, query } = validRequest
  const reply = await contract.mockResponse(operation, { path, query, headers: {} }, {})
  if (typeof reply === 'string') throw createError('reply_violation', { operation: operation.id, violations: [reply] })
  return { response: { ...reply, headers: { ...reply.headers, 'x-double': 'mocked' } } }
}
