/** The types of the effects of query parameters on a listing. */
import type { JsonObject } from '../../documents/object.js'
import type { ViewParameter } from '../contract-view.js'
import type { ParameterValue } from '../role-handler-types.js'

/** Selects the records whose property has one of some values. */
export interface Filter {
  readonly property: string
  readonly values: ReadonlySet<unknown>
  /** True if the property is in `$parents`. */
  readonly isInParents?: boolean
}

/** The part of a listing that a request asks for. */
export interface Selection {
  /** A record must match all of them. */
  readonly filters: readonly Filter[]
  /** The number of records to leave out at the start. */
  readonly skip: number
  /** The most records to return. Undefined: all. */
  readonly cap: number | undefined
}

/** The effect of a parameter. */
export interface QueryAction {
  /** The effect in words: `caps`, `skips`, `counts pages`, `selects by tag`. */
  readonly acts: string
  /** The stage in which the action is applied: filters, then caps, then skips, which need the cap. */
  readonly stage: 'filter' | 'cap' | 'skip'
  /** Applies a value, which has the type of the parameter. */
  apply(selection: Selection, value: ParameterValue): Selection
}

/** The context of a rule. */
export interface QueryContext {
  /** The properties of the record by which a parameter may select. */
  readonly properties: ReadonlyMap<string, JsonObject>
  /** All query parameters of the operation. */
  readonly parameters: readonly ViewParameter[]
}

/** Finds the effect of a parameter. @returns Undefined if the rule does not know it. */
export type QueryRule = (parameter: ViewParameter, context: QueryContext) => QueryAction | undefined
