/** A plane: a contract and what serves it. The double has two: the service, and its own control plane. */
import type { Contract, Json, OperationResponse, ParameterPlaces, ParameterValue } from '../contract/contract.js'
import type { RequestContext } from './request-context.js'
import type { OperationRouter } from './router.js'

/** A request that the contract allows. */
export interface ValidRequest {
  /** Parameters by name, decoded. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** The same by place and name. */
  readonly places: ParameterPlaces
  /** Path parameters by name, as received. For mocked responses. */
  readonly path: Readonly<Record<string, string>>
  readonly query: string
  readonly body: Json | undefined
}

/** The result of a handler. Nothing is changed yet. */
export interface HandlerResult {
  readonly response: OperationResponse
  /**
   * Commits the change, or waits for pending changes that the response depends on. Its first step runs at once, before any other
   * request. Undefined: nothing to wait for.
   */
  readonly commit?: (() => Promise<void>) | undefined
  /** A reason for the journal that the response must not give. */
  readonly note?: string | undefined
}

/** A contract and what serves it. */
export interface Plane {
  readonly contract: Contract
  readonly router: OperationRouter
  /** Checks the credential and sets the caller. @throws {DoubleError} 401 or 403. */
  authorize(context: RequestContext): void
  /**
   * Serves a valid request. A result that is no promise holds a change of the present state, and has to be committed at once.
   *
   * @throws {DoubleError} What it refuses.
   */
  handle(context: RequestContext): HandlerResult | Promise<HandlerResult>
}
