/** The types of roles: the effect of an operation on a collection, the decision for it, and its handler, a pure function of state and request. */
import type { Json, Operation, ValidationError } from '../../contract/contract.js'
import type { JsonObject } from '../../documents/object.js'
import type { CollectionRole, HttpEffect, ParameterEffect, RoleName } from '../explanation.js'
import type { CollectionModel } from '../infer/collection-model.js'
import type { Caller, State } from '../records/state.js'
import type { Clash } from './clash.js'

export interface Target {
  readonly collection: string
  readonly model: CollectionModel
  /** The collections that its records may refer to. Default: none. */
  readonly others?: readonly { readonly name: string; readonly model: CollectionModel }[]
}

export interface RoleMatch {
  readonly effects?: ReadonlyMap<string, ParameterEffect>
  /** Set if a threshold or an example decided the role or an effect. Default: it is certain. */
  readonly basis?: 'inferred'
  readonly httpEffects?: readonly HttpEffect[]
  /** Lists the properties that are filled from an example. Takes long: the examples are validated. */
  filled?(): readonly string[]
  /** Lists the properties next to the shown records of which nothing is known. Takes as long. */
  leftOut?(): readonly string[]
  /** Properties of the request body that are validated and never shown. Default: none. */
  readonly notStored?: readonly string[]
  /** Lists the parameters whose value in a query has no effect, although others have. Default: none. */
  unusedIn?(query: ResourceRequest['query']): readonly string[]
  handle(request: HandledRequest): RoleOutcome
}

export interface Role {
  readonly name: CollectionRole
  readonly methods: readonly string[]
  /** Matches an operation. @returns The reason why the role does not fit, as a clause; null if another role may. */
  match(model: CollectionModel, operation: Operation): RoleMatch | string | null
}

export interface MatchedRole {
  readonly role: Role
  readonly match: RoleMatch
  readonly model: CollectionModel
}

export type ParameterValue = string | number | boolean | readonly (string | number | boolean)[]

export interface ResourceRequest {
  readonly path: Readonly<Record<string, ParameterValue>>
  /** Query parameters by name. Defaults may be left out. */
  readonly query: Readonly<Record<string, Json>>
  readonly body?: unknown
  /** Media type of the body, without parameters. Default: `application/json`. */
  readonly mediaType?: string | undefined
  readonly headers?: { readonly 'if-match'?: string | undefined; readonly 'if-none-match'?: string | undefined }
}

interface RoleContext {
  /**
   * Returns the present time, an RFC 3339 date-time. Most requests need none, and writing one takes a while. The clock is shared: the hidden class
   * of an object with an accessor of its own would keep its request in memory until a full collection.
   */
  readonly clock: { readonly now: string }
  /** The absolute URL of the request, with its query. */
  readonly url: string
  /** True if a list without a sort order is shown in reverse. Default: false. */
  readonly isReversed?: boolean
}

export interface ResourceResponse {
  readonly status: number
  /** Header fields by lower-case name, without the content type. `location` is a path without the base path. */
  readonly headers: Readonly<Record<string, string>>
  /** Media type of the body. Undefined: no body. */
  readonly mediaType: string | undefined
  /** Frozen. Undefined: no body. */
  readonly body: unknown
  /** The record that the response is about, as it is stored. Undefined: it is about none. */
  readonly record?: JsonObject
  /** The sent properties that are not stored, because a record cannot have such values. */
  readonly notStored?: readonly string[]
  readonly createdId?: string
  /** The state after the request. Undefined: it did not change. */
  readonly next?: State
}

/** An error that depends on the state. */
export interface ResourceError {
  /**
   * `unknown_record`: 404. `id_exists`: 409. `id_mismatch`, `invalid_record`: the status that the contract has for a bad body, 400 by default.
   * `no_more_ids`: 500. `foreign_cursor`: 400, for the value of a parameter that is no cursor of the listing. `condition`: 412, or 428 if there
   * is none. `taken`, `wrong_state`: the status whose text says so.
   */
  readonly error:
    | 'unknown_record'
    | 'id_exists'
    | 'id_mismatch'
    | 'invalid_record'
    | 'no_more_ids'
    | 'foreign_cursor'
    | 'condition'
    | 'taken'
    | 'wrong_state'
  readonly collection: string
  /** A note for the journal that the response must not reveal. */
  readonly note?: string
  readonly id?: string
  readonly idProperty: string
  /** The name of the parameter. Only for `foreign_cursor`. */
  readonly parameter?: string
  /** The reasons why the record is not valid by its schema. Only for `invalid_record`. */
  readonly validationErrors?: readonly ValidationError[]
  /** Of the record that has the value. Only for `taken` and `wrong_state`. */
  readonly clash?: Clash
  /** The header that does not hold, and the tag of the record. */
  readonly condition?: { readonly header: string; readonly tag: string } | undefined
}

export type RoleOutcome = ResourceResponse | ResourceError

/** Handles a request to an operation. @param caller - Undefined if the operation is not secured. */
export type RequestHandler<T> = (
  state: State,
  caller: Caller | undefined,
  request: ResourceRequest,
  context: RoleContext,
) => T

export type RoleHandler = RequestHandler<RoleOutcome>

/** Finds the first record that the path of a request lies below, and that does not exist. Undefined: there is none. */
export type FindMissing = RequestHandler<ResourceError | undefined>

export interface HandledRequest {
  readonly target: Target
  readonly state: State
  readonly caller: Caller | undefined
  readonly request: ResourceRequest
  readonly context: RoleContext
}

/** The role of an operation, or the reason why it has none. */
export type Decision = StatefulDecision | MockedDecision

export interface StatefulDecision {
  readonly operation: Operation
  readonly role: RoleName
  readonly collection: string
  readonly match: RoleMatch
  readonly httpEffects: readonly HttpEffect[]
  readonly handler: RoleHandler
}

export interface MockedDecision {
  readonly operation: Operation
  readonly role: 'mocked'
  readonly reason: string
  /** Finds a record of the path that must exist, as the contract documents it. */
  readonly findMissing?: FindMissing | undefined
}
