/** The types of an explanation: the role of each operation, and the effect of each parameter. */
import type { SecurityScheme } from '../contract/security.js'

type FilterKind = 'select' | 'range' | 'search'
type PageKind = 'cap' | 'skip' | 'page' | 'cursor'
type QueryKind = FilterKind | PageKind | 'sort' | 'direction' | 'fields' | 'group'
export type EffectKind = QueryKind | HeaderEffect | 'record' | 'parent' | 'set' | 'credential' | 'handler'
export type Comparison = 'gt' | 'gte' | 'lt' | 'lte'

/**
 * The effect of a parameter. Each kind has only the properties that it needs. `property` has a dot between the levels; a parent without one is in
 * `$parents`. `every` are the values that select every record, `first` is the value for the first page (default: 0), `maximum` that of a cap,
 * `direction` the side of a cursor that is listed (missing: the cursor says it), `parts` are the effects of a group by name, `properties` those
 * that a search looks in (missing: all), `ignored` the values that do not sort, the names in
 * which nothing is searched, or the parts of a group without an effect.
 */
export interface ParameterEffect {
  readonly kind: EffectKind
  readonly property?: string
  readonly compare?: Comparison
  readonly every?: readonly unknown[]
  readonly properties?: readonly string[]
  readonly ignored?: readonly string[]
  readonly maximum?: number
  readonly first?: number
  readonly direction?: 'after' | 'before'
  /** Of a cursor: the page begins with the record that it names. */
  readonly isInclusive?: true
  readonly parts?: Readonly<Record<string, ParameterEffect>>
}

/** An operation, its role and the effect of its parameters: what the start needs. */
export interface OperationSummary {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly role: RoleName | 'handler' | 'mocked'
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header' | 'cookie'
    /** The effect of the parameter. Null: it is validated, but has no effect. */
    readonly acts: ParameterEffect | null
  }[]
  /** The combinations of security schemes, by name, of which a request needs one. Missing: it needs no credential. */
  readonly security?: readonly (readonly string[])[]
}

export interface ExplainedOperation extends OperationSummary {
  /** `inferred`: a threshold or an example decided the role or an effect. Missing: the operation is not stateful. */
  readonly basis?: 'certain' | 'inferred'
  readonly reason?: string
  /** Line of the spec or the overlay, from 1. */
  readonly line: number
  /** The overlay that adds the operation. Missing: it is in the spec. */
  readonly file?: string
  /** Properties, and required response headers such as `header etag`, that are filled from an example, or with a generated value. Missing: none. */
  readonly filled?: readonly string[]
  /** Optional properties of the response, next to its records, of which nothing is known, so they are not sent. Missing: none. */
  readonly leftOut?: readonly string[]
  /** Properties of the request body that are validated, and that no response documents: the record has none, or another. Missing: none. */
  readonly notStored?: readonly string[]
  /** Properties of the records that contain records of another collection, and do not change with them. Missing: none. */
  readonly copies?: readonly string[]
  /** Properties that the path of a listing names, and that a creation fills in where a client leaves them out. Missing: none. */
  readonly unset?: readonly string[]
  /** Documented statuses 400 to 499 that the double never sends by itself, but for a fault or `Prefer`: nothing tells it when. Missing: none. */
  readonly neverSent?: readonly string[]
  /** Sentences of its texts that tell rules, such as `phone: Cannot be used in test mode.` The double checks what the schemas tell, and no more. Missing: none. */
  readonly rulesInTexts?: readonly string[]
  /** The effects of the operation next to its role. Missing: nothing. */
  readonly effects?: readonly HttpEffect[]
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
  readonly collections: readonly {
    readonly name: string
    readonly path: string
    /** Missing: no path names a record. */
    readonly itemPath?: string
    readonly id: string
    readonly operations: Readonly<Partial<Record<CollectionRole, string>>>
  }[]
  readonly operations: readonly ExplainedOperation[]
}

/** An effect of an operation next to its role, because the contract documents it. */
export type HttpEffect = 'etag' | HeaderEffect | RecordEffect
export type HeaderEffect = 'if-match' | 'if-none-match' | 'idempotency'
/** `parent`: 404 below a record that does not exist. `cascade`: removes the records below. `updated`: sets the time of change. `order`: lists in the order that the description promises. `clash`: the documented refusal of what exists already, or of an action that the state of its record does not allow. */
type RecordEffect = 'parent' | 'cascade' | 'updated' | 'location' | 'order' | 'clash'

export type CollectionRole = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove' | 'action'

/** The roles: those in a collection, and of the operations on a singleton and on the caller's own record. */
export type RoleName = CollectionRole | 'singleton' | 'own-record'
