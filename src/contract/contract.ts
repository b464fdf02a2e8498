/** The types of a contract: the interface between a spec and the rest of the code. They use no types of libraries. */
import { METHODS } from 'node:http'

import { isObject, type JsonObject, objectAt, objectOf } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Place, Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import type { Spec } from '../spec/read-spec.js'
import type { CredentialPlace, Security, SecurityScheme } from './security.js'
import type { Violation } from './violation.js'

export const documentableMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']

/** The keys of operations in a path item. Those of OpenAPI 3.2 are read in every version. */
export const operationKeys = [...documentableMethods, 'QUERY'].map((method) => method.toLowerCase())

/**
 * Lists the operations of a path item, in its order, with their paths in it. `isServed`: false if Node's parser, which refuses such requests, does
 * not know the method. Methods are case-sensitive.
 */
export function documentedMethods(item: JsonObject) {
  const keys = Object.keys(item).filter((key) => operationKeys.includes(key))
  const additional = Object.keys(objectAt(item, 'additionalOperations'))
  const methods = [
    ...keys.map((key) => ({ method: key.toUpperCase(), path: [key] })),
    ...additional.map((method) => ({ method, path: ['additionalOperations', method] })),
  ]
  return methods.map((each) => ({ ...each, isServed: METHODS.includes(each.method) }))
}

export const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

/** Returns the id of an operation: its operationId, otherwise `METHOD /path`, such as `GET /orders`. */
export const operationName = (operationId: unknown, method: string, path: string): string =>
  typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A value of `x-double`, and its place in the spec. */
export type Override = { readonly value: unknown; readonly path: readonly Segment[] }

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly description: string
  /** True if an empty value in the query means that the parameter is absent. */
  readonly allowEmptyValue: boolean
  /** Default: as OpenAPI says. */
  readonly style: 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple' | 'label' | 'matrix'
  /** True if each item or property is serialized separately. Default: as OpenAPI says. */
  readonly explode: boolean
  /** The media type of a parameter with `content`, which has no style. */
  readonly mediaType: string | undefined
  readonly schema: JsonObject
  /** The schema of its value in JSON Schema, by which it is converted and validated. */
  readonly requestSchema: unknown
  /** True if its value is a credential or a password, which no journal, log and report must contain. */
  readonly isSecret: boolean
  /** True if messages to the client must not contain it either. In a path, a name such as `session` is no proof of a credential. */
  readonly isHidden: boolean
  /** The rule for its value, as the end of a sentence: `must be an integer from 1 to 2147483647`. */
  readonly rule: string
  /** Its `x-double`. Undefined: the rules decide. */
  readonly override?: Override | undefined
}

/** A media type of a body, and its schema as documented: a JSON object without `$ref`, which may contain itself. */
export interface Content {
  /** The documented media type or range, with its parameters. */
  readonly mediaType: string
  readonly schema: JsonObject
}

export interface BodyContent extends Content {
  /** The schema in JSON Schema, by which bodies are converted and validated. */
  readonly requestSchema: unknown
  readonly encoding: { readonly [property: string]: unknown }
}

export interface DocumentedResponse {
  /** The documented status: `200`, `4XX` or `default`. */
  readonly status: string
  /** In the order of the spec. Empty if no body is documented, or the status allows none. */
  readonly contents: readonly Content[]
  /** The names of its examples, each once. An example without a name is `default`. */
  readonly examples: readonly string[]
  /** Names of the documented headers, in lower case. */
  readonly headers: readonly string[]
  readonly override: Override | undefined
  /** Values of the required headers without `Location`, by name in lower case: examples, else generated ones. */
  readonly requiredHeaders: Readonly<Record<string, string>>
}

type Overridden = Pick<DocumentedResponse, 'override'>

/** Reads the `x-double` of a response: `usual`, and the errors that the double answers with it, by their code or the broken rule: in a list, or as keys. */
export function responseOverrideOf({ override }: Overridden): readonly unknown[] {
  if (!override) return []
  return isObject(override.value) ? Object.keys(override.value) : [override.value].flat()
}

/** Returns the body that the `x-double` of a response gives to an error, with the places of `error-template.ts`. Undefined: none, which `true` says. */
export function errorTemplateOf({ override }: Overridden, name: string | undefined): unknown {
  const { [name ?? '']: template } = objectOf(override?.value)
  return template === true ? undefined : template
}

/** An operation of a spec. Everything that the double knows of it is read here, once. */
export interface Operation {
  /** The operationId, otherwise `METHOD /path`. */
  readonly id: string
  readonly method: string
  /** The path template, such as `/orders/{id}`. */
  readonly path: string
  /** The path of the Operation Object in the document. */
  readonly at: readonly Segment[]
  /** Its key in the spec, or in the overlay that adds it. Found on first use: that takes long in a large JSON file. */
  readonly place: Place
  readonly summary: string
  /** The summary and the description, in one line. */
  readonly text: string
  /** The Operation Object, without references. */
  readonly described: JsonObject
  readonly parameters: readonly Parameter[]
  readonly requestBody: { readonly required: boolean; readonly contents: readonly BodyContent[] } | undefined
  /** In the order of the spec. */
  readonly responses: readonly DocumentedResponse[]
  /** The status without an error: that of `usual`, otherwise the first documented 2xx, otherwise 200 if `default` is documented, otherwise 204. */
  readonly successStatus: number
  readonly security: Security
  /** The places of these credentials in a request, each once. */
  readonly credentialPlaces: readonly CredentialPlace[]
  /** True if every request needs a credential. */
  readonly secured: boolean
  /** The scopes that the contract requires. They are not checked. */
  readonly scopes: readonly string[]
  /** True if a parameter, a body or a credential outside of `Authorization` and `Cookie` is or contains a secret. */
  readonly documentsSecrets: boolean
  /** True if the whole body of a request is a secret, such as a password without a name. */
  readonly hasSecretRequest: boolean
  /** True if the whole body of a success is a secret. */
  readonly hasSecretResponse: boolean
  /** Its `x-double`. Undefined: the rules decide. */
  readonly override?: Override | undefined
  /** The `x-double` of its path item. Undefined: the rules decide. */
  readonly pathOverride?: Override | undefined
}

/** The parts of a request that the contract describes. Parameters are not converted. */
export interface OperationRequest {
  /** Path parameters, still percent-encoded. */
  readonly path: Readonly<Record<string, string>>
  /** The query, still percent-encoded, without the question mark. */
  readonly query: string
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: Json | undefined
  readonly content?: BodyContent | undefined
}

export type ParameterPlaces = Readonly<Record<Parameter['in'], Readonly<Record<string, Json>>>>

interface RequestValidation {
  readonly violations: readonly Violation[]
  /** The property of the body that the first violation says to be missing. Undefined: it says something else. */
  readonly missing?: string | undefined
  /** The converted parameters. Empty if a violation has severity `Error`. */
  readonly parameters: ParameterPlaces
}

export interface OperationResponse {
  readonly status: number
  /** Header fields by lower-case name, without the content type. */
  readonly headers: Readonly<Record<string, string>>
  readonly mediaType: string
  /** The body; bytes as a Buffer. Undefined if there is none. The violations and the bytes of a frozen body are cached, and what follows from a frozen response. */
  readonly body: unknown
  /** The JSON text of the body, if it is known. Default: the body is serialized. */
  readonly text?: string | undefined
}

/** An error that has occurred, as its body can tell it. */
export interface OccurredError {
  readonly status: number
  readonly message: string
  /** The code of the double, such as `missing_token`. Default: none. */
  readonly code?: string
  /** The present time, an RFC 3339 date-time, for properties of this format. Default: that of the example. */
  readonly now?: string
  /** The path of the request, for a property `path`. Default: that of the example. */
  readonly path?: string
  /** The place of what is wrong in the request, such as `['query', 'limit']`, for a list `loc`. Empty: nothing, or it is not known. Default: empty. */
  readonly place?: readonly string[]
  /** The `X-Request-Id` of the response, for properties such as `request_id`. Default: that of the example. */
  readonly requestId?: string
  /** The URL of the request without its query, for a property whose text says so. Default: that of the example. */
  readonly url?: string
}

/** The parts of a request that the body of an error may tell. */
export type Occurrence = Pick<OccurredError, 'now' | 'path' | 'place' | 'requestId' | 'url'>

export interface ValidationError {
  readonly path: readonly Segment[]
  /** The error, as a clause: `content must be string`. */
  readonly message: string
}

export interface MockPreference {
  readonly code?: number | undefined
  readonly example?: string | undefined
  /** True to generate a value instead of sending an example. Default: false. */
  readonly dynamic?: boolean
}

/** Reports the next part of a long task, such as `checking the schemas`. */
export type ReportProgress = (work: string) => void

/** An example of a response that is not valid by its schema, so it is not sent. */
export interface InvalidExample {
  /** The status in the spec: `200`, `2XX` or `default`. */
  readonly status: string
  readonly name: string
  /** The first error, as a sentence. */
  readonly message: string
}

/** The segments of a path before a secret, in lower case. Undefined: one that contains a parameter. */
export type SecretPath = readonly (string | undefined)[]

/** Finds the documented response for a status: the status itself, otherwise its class (`4XX`), otherwise `default`. */
export function documentedResponse<Response extends { readonly status: string }>(
  { responses }: { readonly responses: readonly Response[] },
  status: number,
): Response | undefined {
  const find = (name: string): Response | undefined => responses.find((response) => response.status === name)
  return find(String(status)) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default')
}

/** Returns the Response Object of a documented status, without references. Empty: it is not documented. */
export const responseObject = ({ described }: Operation, status = ''): JsonObject =>
  objectAt(objectAt(described, 'responses'), status)

/** Returns the schema of a header of a documented response. Empty: none is documented. @param name - In lower case. */
export function headerSchema(operation: Operation, { status }: DocumentedResponse, name: string): JsonObject {
  const headers = Object.entries(objectAt(responseObject(operation, status), 'headers'))
  return objectAt(headers.find(([key]) => key.toLowerCase() === name)?.[1], 'schema')
}

/** Returns the title and the version of a contract, in one line: the name that users see. */
export const contractName = ({ title, version }: Pick<Contract, 'title' | 'version'>): string =>
  `${title} ${version}`.replaceAll(/\s+/gu, ' ').trim() || 'The double'

/** A loaded spec that validates requests and responses. */
export interface Contract
  extends Pick<Source, 'file' | 'locate'>, Pick<Spec, 'files' | 'format' | 'hasChanged' | 'remote'> {
  /** Writes the document as text: that of the file, or of a document that is put together from several, from Swagger or with an overlay. */
  writeText(): string
  /** The parsed spec, before it is dereferenced. */
  readonly document: unknown
  readonly title: string
  /** The `info.version` of the spec. */
  readonly version: string
  readonly operations: readonly Operation[]
  /** The paths of its servers, such as `/v1`. Every operation is also served under each of them. */
  readonly basePaths: readonly string[]
  /** The lower-case names of parameters of security schemes, and of parameters and properties with `format: password`. */
  readonly secretNames: ReadonlySet<string>
  /** The paths before each path parameter that is a secret. */
  readonly secretPaths: readonly SecretPath[]
  /** The parts of the spec that are not enforced. */
  readonly diagnostics: readonly Problem[]
  /** The diagnostics that concern the overlay: actions that target nothing. */
  readonly overlayWarnings: readonly Problem[]
  /** Warnings about the way the spec was read, such as a kept copy in place of its URL. */
  readonly specWarnings: readonly Problem[]
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>
  /** Returns the name of a schema under `components.schemas`. */
  schemaName(schema: JsonObject): string | undefined
  /** Validates a value by a schema of the contract, or one made of such. Ignores `readOnly` and `writeOnly`. Messages are clauses: `content must be string`. */
  validate(schema: JsonObject, value: unknown): readonly ValidationError[]
  /** Generates a minimal value that is valid by a schema. Undefined: none is known. */
  generate(schema: JsonObject): unknown
  /** Returns the valid body of a mocked response. Undefined: there is none. @param status - As documented, such as `2XX`. @param isShown - True for optional properties with an example, too. */
  example(operation: Operation, status: string | undefined, isShown?: boolean): unknown
  /** Creates the body of an error. Undefined: the contract documents none. @param operation - Undefined: the request matches none. */
  errorContent(operation: Operation | undefined, error: OccurredError): Pick<OperationResponse, 'body' | 'mediaType'>
  /** Validates a request. Never throws. */
  checkRequest(operation: Operation, request: OperationRequest): RequestValidation
  /** Validates a response. Never throws. */
  checkResponse(operation: Operation, response: OperationResponse): readonly Violation[]
  /** Counts the schemas of request bodies, parameters and responses that are compiled. */
  countCompiledValidators(): number
  /** Compiles the schemas of an operation, so that the first request does not wait for it. */
  compileValidators(operation: Operation): void
  /** Describes why an operation cannot be mocked: neither an example nor a generated value is valid. @returns Undefined if it can be mocked. */
  findMockProblem(operation: Operation): Promise<string | undefined>
  /** Lists the examples of an operation's responses that are not valid, so they are not sent. Compiles the schemas of all its responses. */
  findInvalidExamples(operation: Operation): readonly InvalidExample[]
  /** Creates a mocked response, or a sentence that says why there is none. Without a preference, it is a success: the first valid example, otherwise a valid generated value. */
  mockResponse(operation: Operation, preference?: MockPreference): Promise<OperationResponse | string>
}
