/** A plane: a contract with its router and handlers. The double has two: the service and the control plane. */
import type { Contract, Json, OperationResponse, ParameterPlaces } from '../contract/contract.js'
import type { OperationRouter } from './router.js'

/** A request that is valid by the contract. */
export interface ValidRequest {
  /** Decoded parameters. */
  readonly parameters: ParameterPlaces
  /** Path parameters by name, as received. For mocked responses. */
  readonly path: Readonly<Record<string, string>>
  readonly query: string
  readonly body: Json | undefined
  /** The body for handlers, if it has files or is binary. Undefined: they get `body`. */
  readonly withBytes: unknown
}

/** The result of a handler. The change is not committed yet. */
export interface OperationResult {
  readonly response: OperationResponse
  /**
   * Commits the change, or waits for pending changes that the response depends on. It commits synchronously, before any other request
   * runs. Undefined: there is nothing to wait for.
   */
  readonly commit?: (() => Promise<void>) | undefined
  /** An explanation for the journal that the response must not reveal. */
  readonly note?: string | undefined
}

/** A contract with its router and handlers. `Context` is that of a request. */
export interface Plane<Context> {
  readonly contract: Contract
  readonly router: OperationRouter
  /** Checks the credential and sets the caller. @throws {DoubleError} 401 or 403. */
  authorize(context: Context): void
  /**
   * Handles a valid request. A result that is not a promise is built on the current state, so it must be committed synchronously. A promise
   * resolves to a result, or to a function that creates one on the then current state.
   *
   * @throws {DoubleError} The error of the handler.
   */
  handle(context: Context): OperationResult | Promise<OperationResult | (() => OperationResult)>
}
