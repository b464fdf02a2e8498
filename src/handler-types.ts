/** The types of handlers, for a file that `--handlers` names. */
import type { FixtureDocument, StateDocument } from './control/document-types.js'

/**
 * Handlers by operationId.
 *
 * @typeParam Operations - The `operations` that openapi-typescript prints for a spec. Default: any operations, with untyped parameters.
 *
 * @example
 * const handlers: Handlers<operations> = { cancelOrder: ({ next, path }) => (path.id === '0' ? { status: 404, body: … } : next()) }
 * export default handlers
 */
export type Handlers<Operations = Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof Operations]?: (request: HandlerRequest<Operations[Name]>) => HandlerResult<Operations[Name]>
}

/** The argument of a handler. All of it is frozen. */
export interface HandlerRequest<Operation = unknown> {
  /** The whole state, as a fixture. */
  readonly state: StateDocument
  /** The name of the caller. Undefined where the operation needs no credential. */
  readonly caller: string | undefined
  /** The base URL of the request, without a slash at the end: that of the double, or of the sandbox. */
  readonly baseUrl: string
  /** Path parameters by name. */
  readonly path: ParametersOf<Operation, 'path'>
  /** Query parameters by name. It has only those that the request has. */
  readonly query: ParametersOf<Operation, 'query'>
  /** Header fields by lower-case name, without credentials. Those that the contract documents have its types. */
  readonly headers: LowerCaseNames<ParametersOf<Operation, 'header'>> & Readonly<Record<string, unknown>>
  /** The parsed body; a file of a form as `HandlerFile`, another binary body as `Uint8Array`. */
  readonly body: BodyOf<Operation>
  /** The present time, an RFC 3339 date-time. */
  readonly now: string
  /** Returns the response that the double would send without the handler, and the state after it. Commits nothing. */
  next(): NextResult<Operation>
}

/** A file of a `multipart/form-data` body. */
export interface HandlerFile {
  readonly name: string
  /** Its media type. Empty if the part has none. */
  readonly type: string
  readonly bytes: Uint8Array
}

type LowerCaseNames<Fields> = { readonly [Name in keyof Fields as Lowercase<Name & string>]: Fields[Name] }

/** A part of a result that is the same for all statuses. */
interface ResultParts {
  /** Header fields by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** The whole state after the request. Checked like a fixture. Default: it does not change. */
  readonly state?: FixtureDocument
}

/** The result of a handler: one of the documented responses. Default status: that of the documented success. */
export type HandlerResult<Operation = unknown> = ResultParts &
  (Operation extends { responses: infer Responses }
    ? { [Status in keyof Responses]: ResponseOf<Status, Responses[Status]> }[keyof Responses]
    : { readonly status?: number; readonly body?: unknown })

/** The result of `next()`. It can be returned as it is. */
export type NextResult<Operation = unknown> = HandlerResult<Operation> & {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly state: StateDocument
}

type ResponseOf<Status, Response> = (Status extends number
  ? `${Status}` extends `2${string}`
    ? { readonly status?: Status }
    : { readonly status: Status }
  : { readonly status: number }) &
  (Response extends { content: infer Content }
    ? { readonly body: { [Type in keyof Content]: Content[Type] | BytesOf<Type> }[keyof Content] }
    : { readonly body?: undefined })

type ParametersOf<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Parameters extends { [Key in Place]?: infer Values }
    ? [NonNullable<Values>] extends [never]
      ? Readonly<Record<string, never>>
      : Readonly<NonNullable<Values>>
    : Readonly<Record<string, never>>
  : Readonly<Record<string, unknown>>

type BodyOf<Operation> = Operation extends { parameters: unknown }
  ? Operation extends { requestBody: { content: infer Content } }
    ? SentBody<Content>
    : Operation extends { requestBody?: { content: infer Content } }
      ? SentBody<Content> | undefined
      : undefined
  : unknown

type SentBody<Content> = {
  [Type in keyof Content]: Type extends 'multipart/form-data'
    ? { readonly [Name in keyof Content[Type]]: WithFiles<Content[Type][Name]> }
    : [BytesOf<Type>] extends [never]
      ? Content[Type]
      : BytesOf<Type>
}[keyof Content]

type WithFiles<Field> = Field extends string
  ? Field | HandlerFile
  : Field extends readonly string[]
    ? Field | HandlerFile[]
    : Field

/** The bytes of a binary media type. None for media types that are text. */
type BytesOf<Type> = Type extends
  | `${string}json`
  | `text/${string}`
  | `${string}xml`
  | `application/x-www-form-urlencoded`
  ? never
  : Uint8Array
