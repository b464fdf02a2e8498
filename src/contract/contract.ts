/**
 * A contract in our own words: what the rest of the code knows of a spec. No library's types, nothing of OpenAPI's shape.
 */

import type { Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import type { ContractView } from '../resources/contract-view.js'

/** HTTP methods that a spec can document. */
export const documentableMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'] as const

/** A HTTP method that a spec can document. */
export type Method = (typeof documentableMethods)[number]

/** The name of an operation: its operationId, else `METHOD /path`, such as `GET /orders`. */
export const operationName = (operationId: unknown, method: string, path: string): string =>
  typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`

/** A value that JSON can carry and nobody may change. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Something that the contract does not allow, in the shape that Prism gives its violations. */
export interface Violation {
  /** Where: `request` or `response`, then as far as it goes, such as `['request', 'query', 'limit']`. */
  readonly location: readonly string[]
  /** `Error` breaks the contract. `Warning` is worth hearing of, and is served all the same. */
  readonly severity: 'Error' | 'Warning'
  /** Which rule, in a word (`pattern`, `undocumented`) or as a status (`401`). */
  readonly code: string | number
  /** What is wrong and what would be right: one sentence. */
  readonly message: string
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly deprecated: boolean
  /** Whether an empty value in the query counts as none. */
  readonly allowEmptyValue: boolean
  /** How it is written, with OpenAPI's defaults filled in. */
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple' | 'label' | 'matrix'
  /** Whether each item or property is written on its own, with OpenAPI's defaults filled in. */
  readonly explode: boolean
  /** The media type of a parameter that has `content`. Then it has no style. */
  readonly mediaType: string | undefined
  /** The schema its value is checked by. */
  readonly schema: unknown
  /** Whether messages must not repeat its value, as that of a credential or a password. */
  readonly isSecret: boolean
  /** What a value must be, as the end of a sentence: `must be an integer from 1 to 2147483647`. */
  readonly rule: string
}

/** One way to send a request body. */
export interface BodyContent {
  /** As the spec has it: a media type or a range, perhaps with parameters. */
  readonly mediaType: string
  /** The schema it is checked by. */
  readonly schema: unknown
  /** The spec's Encoding Objects by property, for forms. */
  readonly encoding: { readonly [property: string]: unknown }
}

/** A reply that an operation documents. */
export interface DocumentedResponse {
  /** As the spec has it: `200`, `4XX` or `default`. */
  readonly status: string
  /** What it may be sent as. Empty where no body is documented. */
  readonly mediaTypes: readonly string[]
  /** The names of its examples, each once. One that the spec gives no name is `default`. */
  readonly examples: readonly string[]
}

/** One thing that the service does. */
export interface Operation {
  /** The spec's operationId, else `METHOD /path`. */
  readonly id: string
  readonly method: Method
  /** The spec's path template, such as `/orders/{id}`. */
  readonly path: string
  /** The spec's summary; may be empty. */
  readonly summary: string
  readonly parameters: readonly Parameter[]
  /** The request body it documents, if any. */
  readonly requestBody: { readonly required: boolean; readonly contents: readonly BodyContent[] } | undefined
  /** In the spec's order. */
  readonly responses: readonly DocumentedResponse[]
  /** The status that success is sent with: the first documented 2xx, else 200 where there is `default`, else 204. */
  readonly successStatus: number
  /** Whether a bearer token is demanded. */
  readonly secured: boolean
}

/** A request to an operation, as far as the contract has a say in it. Nothing is converted yet. */
export interface OperationRequest {
  /** Path parameters, percent-encoded as they were sent. */
  readonly path: Readonly<Record<string, string>>
  /** The query as it was sent, without the question mark. */
  readonly query: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The decoded body. Undefined where there is none. */
  readonly body?: Json | undefined
  /** Which of the operation's contents the body is. */
  readonly content?: BodyContent | undefined
}

/** What a parameter's value is converted to. */
export type ParameterValue = Json

/** Parameters by place and name. */
export type ParameterPlaces = Readonly<Record<Parameter['in'], Readonly<Record<string, ParameterValue>>>>

/** What the contract says of a request. */
export interface RequestValidation {
  readonly violations: readonly Violation[]
  /** The parameters by name, converted to their types. Whole only where there is no violation of severity `Error`. */
  readonly parameters: Readonly<Record<string, ParameterValue>>
  /** The same, by where they stand. */
  readonly places: ParameterPlaces
}

/** A reply of an operation, before it becomes bytes. */
export interface OperationResponse {
  readonly status: number
  /** Header fields by lower-case name, but for the content type. */
  readonly headers: Readonly<Record<string, string>>
  /** Media type of the body. */
  readonly mediaType: string
  /** Undefined where there is no body. Frozen where its verdict and its bytes may be kept. */
  readonly body: unknown
  /** The JSON text of the body, where it is known. Default: made of the body. */
  readonly text?: string | undefined
}

/** What a client asks of a mocked reply. */
export interface MockPreference {
  /** The documented status to answer with. */
  readonly code?: number
  /** The name of the example to answer with. */
  readonly example?: string
  /** Whether to make a value up from the schema instead of taking an example. */
  readonly dynamic?: boolean
}

/** Interrupts work that takes long, so that waiting requests are served in between. */
export type Pause = () => Promise<void>

/** A spec, ready to check requests and replies. */
export interface Contract {
  /** The spec's file, as the user named it. */
  readonly file: string
  /** The spec as it was read. */
  readonly text: string
  /** What the spec says, for whoever wants to show it. */
  readonly document: unknown
  readonly title: string
  /** The spec's info.version. */
  readonly version: string
  readonly operations: readonly Operation[]
  /** Names, in lower case, of parameters of security schemes, and of parameters and properties with `format: password`. */
  readonly secretNames: ReadonlySet<string>
  /** What the spec says and the double does not enforce. */
  readonly diagnostics: readonly Problem[]
  /** Finds a place of the spec in its text, as `Source` does. */
  readonly locate: Source['locate']
  /** The properties that a schema under `components.schemas` names, in the spec's order. Empty for a schema that is not there. */
  propertiesOf(schema: string): readonly string[]
  /** The contract as the resource engine sees it. The same value every time. */
  resourceView(): ContractView
  /** Checks a request. Never throws. */
  checkRequest(operation: Operation, request: OperationRequest): RequestValidation
  /** Checks a reply. Never throws. */
  checkResponse(operation: Operation, reply: OperationResponse): readonly Violation[]
  /** Compiles the validators of an operation, so that no request waits for that. */
  compileValidators(operation: Operation): void
  /** Says why an operation cannot be mocked: no example fits, and no value can be generated that does. Undefined where it can. */
  findMockProblem(operation: Operation): Promise<string | undefined>
  /**
   * Makes up a documented reply. Without a preference it is a success that fits its schema: the first example that does, else a
   * generated value.
   *
   * @returns Why it cannot, as a sentence.
   */
  mockResponse(
    operation: Operation,
    request: OperationRequest,
    preference: MockPreference,
  ): Promise<OperationResponse | string>
}
