/** The parts of a contract that the engine needs. Schemas are plain JSON objects without `$ref`; they may contain themselves. */
import type { JsonObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Security, SecurityScheme } from './security-scheme.js'

/** A value of `x-double`, and its place in the spec. */
export interface ViewOverride {
  readonly value: unknown
  readonly path: readonly Segment[]
}

/** A parameter of an operation. */
export interface ViewParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: JsonObject
  /** Undefined: the rules decide. */
  readonly override?: ViewOverride | undefined
}

/** Schemas by media type, in the spec's order. */
export type Content = ReadonlyMap<string, JsonObject>

/** A response that an operation documents. */
interface ViewResponse {
  /** The status in the spec: `200`, `2XX` or `default`. */
  readonly status: string
  /** Empty if no body is documented. */
  readonly content: Content
  /** Names of the documented headers, in lower case. */
  readonly headers: readonly string[]
  /** Values of the required headers without `Location`, by name in lower case: examples, else generated ones. */
  readonly requiredHeaders: Readonly<Record<string, string>>
}

/** An operation of a contract. */
export interface ViewOperation {
  /** The operationId, else `METHOD /path`. */
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** The path template, such as `/pets/{petId}`. */
  readonly path: string
  /** Line of the spec or the overlay, from 1. */
  readonly line: number
  /** The overlay that adds the operation. Undefined: it is in the spec. */
  readonly file?: string | undefined
  /** True if every request needs a credential. */
  readonly secured: boolean
  readonly security: Security
  /** The scopes that the contract requires. They are not checked. */
  readonly scopes: readonly string[]
  readonly parameters: readonly ViewParameter[]
  /** Undefined if no request body is documented. */
  readonly requestBody: { readonly required: boolean; readonly content: Content } | undefined
  readonly responses: readonly ViewResponse[]
  /** The `x-double` of the operation. Undefined: the rules decide. */
  readonly override?: ViewOverride | undefined
  /** The `x-double` of its path item. Undefined: the rules decide. */
  readonly pathOverride?: ViewOverride | undefined
}

/** An error of a value that is not valid by its schema. */
export interface ValidationError {
  /** Path in the value. */
  readonly path: readonly Segment[]
  /** The error, as a clause: `content must be string`. */
  readonly message: string
}

/** A contract in the form that the engine uses. */
export interface ContractView {
  /** In the spec's order. */
  readonly operations: readonly ViewOperation[]
  /** The security schemes that the double checks, by name. */
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>
  /** The name of a schema under `components.schemas`. The same reference must give the same object everywhere. */
  schemaName(schema: JsonObject): string | undefined
  /** Validates a value. `readOnly` and `writeOnly` are ignored. The schema may be one that the engine built. */
  validate(schema: JsonObject, value: unknown): readonly ValidationError[]
  /** Generates a minimal value that is valid by a schema. Undefined: none is known. */
  generate(schema: JsonObject): unknown
  /** Returns the valid body that a mocked response would have. Undefined: there is none. */
  example(operation: ViewOperation, status: string): unknown
}
