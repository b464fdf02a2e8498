/**
 * A plane: a contract together with what answers for it. The double has two, the service and its own control plane, and one
 * way for the requests of both.
 */
import type {
  Contract,
  Json,
  Operation,
  OperationResponse,
  ParameterPlaces,
  ParameterValue,
} from '../contract/contract.js'
import type { RequestContext } from './request-context.js'

/** A request that the contract allows. */
export interface ValidRequest {
  /** By name, converted. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** The same, by where they stand. */
  readonly places: ParameterPlaces
  /** By name, as received. For the mock. */
  readonly path: Readonly<Record<string, string>>
  readonly query: string
  readonly body: Json | undefined
}

/** What became of a request. Nothing is changed yet. */
export interface HandlerResult {
  readonly response: OperationResponse
  /**
   * Makes the change, or waits for changes that the reply already counts on. Its first step is taken at once, before anything else
   * runs. Undefined: there is nothing to wait for.
   */
  readonly commit?: (() => Promise<void>) | undefined
  /** For the journal: why, where the reply must not say it. */
  readonly note?: string | undefined
}

/** A contract together with what answers for it. */
export interface Plane {
  readonly contract: Contract
  /**
   * Lets a request in, and notes its caller.
   *
   * @throws {DoubleError} 401 or 403.
   */
  authorize(exchange: RequestContext, operation: Operation): void
  /**
   * Serves a request that the contract allows. Where it returns no promise, the change its outcome holds was worked out from the
   * state as it is now, and has to be made now.
   *
   * @throws {DoubleError} What it cannot serve.
   */
  handle(exchange: RequestContext, operation: Operation, request: ValidRequest): HandlerResult | Promise<HandlerResult>
}
