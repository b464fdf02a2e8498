/** The types of an explanation: the role of each operation, and the effect of each parameter. */
import type { SecurityScheme } from '../contract/security.js'

interface ExplainedCollection {
  readonly name: string
  readonly path: string
  readonly itemPath: string
  readonly id: string
  readonly operations: Readonly<Partial<Record<RoleName, string>>>
}

interface ExplainedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** The effect of the parameter. Null: it is validated, but has no effect. */
  readonly acts: ParameterEffect | null
}

type QueryKind = 'select' | 'range' | 'search' | 'sort' | 'direction' | 'cap' | 'skip' | 'page' | 'cursor' | 'group'
export type EffectKind = QueryKind | 'record' | 'parent' | 'set' | 'handler'
export type Comparison = 'gt' | 'gte' | 'lt' | 'lte'

/** The effect of a parameter. Each kind has only the properties that it needs. */
export interface ParameterEffect {
  readonly kind: EffectKind
  /** The property that it is about, with a dot between the levels. Missing for `parent` and `set`: it is in `$parents`. */
  readonly property?: string
  /** Of a range: how the property compares with the value. */
  readonly compare?: Comparison
  /** Of a selection: the values that select every record. */
  readonly every?: readonly unknown[]
  /** Of a cap: its maximum. */
  readonly maximum?: number
  /** Of a page or a skip: the number of the first. */
  readonly first?: number
  /** Of a cursor: the side of it that is listed. Missing: the cursor says it. */
  readonly direction?: 'after' | 'before'
  /** Of a group: the effects of its parts, by name. */
  readonly parts?: Readonly<Record<string, ParameterEffect>>
}

/** An operation, its role and the effect of its parameters: what the start needs. */
export interface OperationSummary {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly role: RoleName | 'handler' | 'mocked'
  readonly parameters: readonly ExplainedParameter[]
  /** The combinations of security schemes, by name, of which a request needs one. Missing: it needs no credential. */
  readonly security?: readonly (readonly string[])[]
}

export interface ExplainedOperation extends OperationSummary {
  /** The reason why the operation is mocked, as a clause. */
  readonly reason?: string
  /** Line of the spec or the overlay, from 1. */
  readonly line: number
  /** The overlay that adds the operation. Missing: it is in the spec. */
  readonly file?: string
  /** Properties, and required response headers such as `header etag`, that are filled from an example, or with a generated value. Missing: none. */
  readonly filled?: readonly string[]
  /** The scopes that the contract requires. They are not checked. Missing: none. */
  readonly scopes?: readonly string[]
}

/** The operations and the security schemes of a contract: what the start needs. */
export interface ResourcesSummary {
  /** Every operation of the contract, in the spec's order. */
  readonly operations: readonly OperationSummary[]
  /** The security schemes that the double checks. */
  readonly securitySchemes: readonly SecurityScheme[]
}

/** The output of `explain --json` and the response of `GET /__admin/collections`. */
export interface Explanation extends ResourcesSummary {
  readonly collections: readonly ExplainedCollection[]
  /** Every operation of the contract, in the spec's order. */
  readonly operations: readonly ExplainedOperation[]
}

export type RoleName = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'
