/** The Insights service as a plane: bearer tokens, and handlers that are pure. */
import type { Contract, Operation } from '../contract/contract.js'
import { DoubleError, failure } from '../errors.js'
import { handlers } from '../insights/handlers.js'
import type { State } from '../state/state.js'
import { callerWithToken } from '../state/state.js'
import { bearerToken } from './bearer.js'
import type { Exchange } from './exchange.js'
import type { AllowedRequest, Outcome, Plane } from './plane.js'
import { errorReply } from './reply.js'

/** Makes the plane of the Insights service. */
export function createInsightsPlane(contract: Contract): Plane {
  return {
    contract,
    admit,
    handle: (exchange, operation, request) => serve(exchange, operation, request) ?? mock(contract, operation, request),
  }
}

function admit(exchange: Exchange, operation: Operation): void {
  if (!operation.secured) return
  const token = bearerToken(exchange.request)
  exchange.caller = callerWithToken(stateFor(operation, exchange), token)
  if (!exchange.caller)
    throw failure('unknown_token', undefined, {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
}

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD'

/** Whoever reads sees what is saved. Whoever changes builds on the changes before, saved or not. */
function stateFor(operation: Operation, { sandbox }: Exchange): State {
  return isRead(operation) ? sandbox.store.saved : sandbox.store.latest
}

function serve(exchange: Exchange, operation: Operation, { parameters }: AllowedRequest): Outcome | undefined {
  const { caller, sandbox } = exchange
  const handler = handlers.get(operation.id)
  if (!handler) return undefined
  const { store } = sandbox
  const answer = handler({ before: sandbox.fixture.state, state: stateFor(operation, exchange), caller, parameters })
  // Even a 404 may rest on a delete that is not in the file yet.
  const commit = isRead(operation) ? undefined : () => store.settled()
  if (answer instanceof DoubleError) return { reply: errorReply(answer), commit, note: answer.note }
  const { body, next } = answer
  return {
    reply: { status: operation.successStatus, headers: {}, mediaType: 'application/json', body },
    commit: next ? () => store.commit(next) : commit,
  }
}

async function mock(contract: Contract, operation: Operation, { path, query }: AllowedRequest): Promise<Outcome> {
  const reply = await contract.mock(operation, { path, query, headers: {} }, {})
  if (typeof reply === 'string') throw failure('reply_violation', { operation: operation.id, violations: [reply] })
  return { reply: { ...reply, headers: { ...reply.headers, 'x-double': 'mocked' } } }
}
