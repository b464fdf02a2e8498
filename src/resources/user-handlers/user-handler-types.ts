/** The types of the handlers that users write for operations that are not CRUD. */
import type { JsonObject } from '../../documents/object.js'

/** The argument of a user's handler. All of it is frozen. */
export interface HandlerInput {
  /** The state as a fixture document. */
  readonly state: JsonObject
  /** The name of the caller. Undefined if the operation is not secured. */
  readonly caller: string | undefined
  /** The base URL of the request, without a slash at the end: that of the double, or of the sandbox. */
  readonly baseUrl: string
  /** Parameters by name, in the types of the contract. */
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** Header fields by lower-case name, without credentials. Those that the contract documents have its types. */
  readonly headers: Readonly<Record<string, unknown>>
  /** The parsed body; files as `{name, type, bytes}`, other binary values as bytes. Undefined: none. */
  readonly body: unknown
  /** The present time, an RFC 3339 date-time. */
  readonly now: string
  /** Returns the result without the handler. Commits nothing. */
  next(): HandlerOutput
}

/** The result of a user's handler. */
interface HandlerOutput {
  /** Default: the status of a success. */
  readonly status?: number
  /** Header fields. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: no body. */
  readonly body?: unknown
  /** The next state. Default: it does not change. */
  readonly state?: JsonObject
}

/** A handler of a user. Its result is not trusted. */
export type UserHandler = (input: HandlerInput) => unknown

/** The handlers of a file. */
export interface UserHandlers {
  /** The path of the file, as the user named it. */
  readonly file: string
  /** By the name of the operation. */
  readonly byOperation: ReadonlyMap<string, UserHandler>
  /** The lines of the handlers in the file, by the name of the operation. */
  readonly lines: ReadonlyMap<string, number>
}
