/** The effect of a query parameter on a listing. */
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
  /** All must hold. */
  readonly filters: readonly Filter[]
  /** Records to leave out before the first. */
  readonly skip: number
  /** Most records to return. Undefined: all. */
  readonly cap: number | undefined
}

/** Everything, in order. */
export const everything: Selection = { filters: [], skip: 0, cap: undefined }

/** The effect of a parameter. */
export interface QueryAction {
  /** For people: `caps`, `skips`, `counts pages`, `selects by tag`. */
  readonly acts: string
  /** The order in which actions are applied: filters, then caps, then what needs the cap. */
  readonly stage: 'filter' | 'cap' | 'skip'
  /** Applies a value, of the parameter's type. */
  apply(selection: Selection, value: ParameterValue): Selection
}

/** The context of a rule. */
export interface QueryContext {
  /** Properties of the record that a parameter may select by. */
  readonly properties: ReadonlyMap<string, JsonObject>
  /** All query parameters of the operation. */
  readonly parameters: readonly ViewParameter[]
}

/** Finds the effect of a parameter. @returns undefined if the rule does not know it. */
export type QueryRule = (parameter: ViewParameter, context: QueryContext) => QueryAction | undefined
