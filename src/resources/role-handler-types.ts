/** The types of the handlers of roles: pure functions of state, caller and request. */
import type { ValidationError } from '../contract/contract.js'
import type { Caller, State } from './records/state.js'

/** The value of a parameter, in the type of the contract. */
export type ParameterValue = string | number | boolean | readonly (string | number | boolean)[]

/** A request that the contract allows. */
export interface ResourceRequest {
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, ParameterValue>>
  /** Query parameters by name. Defaults may be left out. */
  readonly query: Readonly<Record<string, ParameterValue>>
  /** The parsed body. Undefined: none. */
  readonly body?: unknown
  /** Media type of the body, without parameters. Default: `application/json`. */
  readonly mediaType?: string | undefined
}

/** The context of a request. */
export interface RoleContext {
  /** The present time, an RFC 3339 date-time. */
  readonly now: string
}

/** A success response. */
export interface ResourceResponse {
  readonly status: number
  /** Header fields by lower-case name, without the content type. `location` is a path without the base path. */
  readonly headers: Readonly<Record<string, string>>
  /** Media type of the body. Undefined: no body. */
  readonly mediaType: string | undefined
  /** Frozen. Undefined: no body. */
  readonly body: unknown
  /** The id of the record that the request has created. */
  readonly createdId?: string
  /** The state after the request. Undefined: it did not change. */
  readonly next?: State
}

/** An error that depends on the state. */
export interface ResourceError {
  /**
   * `unknown_record`: 404. `id_exists`: 409. `id_mismatch`, `invalid_record`: the status that the contract has for a bad body, 400 by default.
   * `no_more_ids`: 500.
   */
  readonly error: 'unknown_record' | 'id_exists' | 'id_mismatch' | 'invalid_record' | 'no_more_ids'
  /** The collection. */
  readonly collection: string
  /** A note for the journal that the response must not reveal. */
  readonly note?: string
  /** The requested id, if the request has one. */
  readonly id?: string
  /** Name of the record's id property. */
  readonly idProperty: string
  /** The reasons why the record is not valid by its schema. Only for `invalid_record`. */
  readonly validationErrors?: readonly ValidationError[]
}

/** The result of a handler. */
export type RoleOutcome = ResourceResponse | ResourceError

/** Handles a request to an operation. @param caller - Undefined if the operation is not secured. */
export type RoleHandler = (
  state: State,
  caller: Caller | undefined,
  request: ResourceRequest,
  context: RoleContext,
) => RoleOutcome
