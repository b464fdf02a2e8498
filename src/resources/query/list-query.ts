/** Finds the query parameters of a listing that have an effect, and reads their values from a request. */
import type { ViewParameter } from '../contract-view.js'
import { parameterOverrideOf } from '../overrides/read-override.js'
import type { ResourceRequest } from '../role-handler-types.js'
import { findKeyword } from '../schema/object-schema.js'
import { cap } from './cap.js'
import { equality, selectByProperty } from './equality.js'
import { createPageRule } from './page.js'
import type { QueryAction, QueryContext, QueryRule, Selection } from './query-action-types.js'
import { skip } from './skip.js'

const page = createPageRule((parameter, context) => {
  const meant = parameterOverrideOf(parameter)
  if (meant !== undefined) return meant === 'limit'
  return !equality(parameter, context) && cap(parameter, context) !== undefined
})

/** The selection of all records. */
const everything: Selection = { filters: [], skip: 0, cap: undefined }

/** The rules in order. The first rule that knows a parameter applies. */
const rules: readonly QueryRule[] = [equality, cap, skip, page]

/** The rules that `x-double` can name. Any other name is the name of a property. */
const namedRules: Readonly<Record<string, QueryRule>> = { limit: cap, offset: skip, page }

const stages = ['filter', 'cap', 'skip'] as const

/** The query of a listing. */
export interface ListQuery {
  /** The effect of each parameter, by name. Parameters without an effect are missing. */
  readonly acts: ReadonlyMap<string, string>
  /** Reads a request. The key is equal for requests with the same effect. */
  read(request: ResourceRequest): { readonly key: string; readonly selection: Selection }
}

/** Finds the effects of the query parameters of a listing. */
export function createListQuery(context: QueryContext): ListQuery {
  const actions = context.parameters
    .map((parameter) => ({ parameter, action: actionOf(parameter, context) }))
    .filter((each): each is { parameter: ViewParameter; action: QueryAction } => each.action !== undefined)
    .toSorted((one, other) => stages.indexOf(one.action.stage) - stages.indexOf(other.action.stage))
    .map(({ parameter, action }) => ({
      action,
      name: parameter.name,
      fallback: findKeyword(parameter.schema, 'default'),
    }))
  return {
    acts: new Map(actions.map(({ action, name }) => [name, action.acts])),
    read: ({ query }) => {
      const key: unknown[] = []
      let selection = everything
      for (const { action, fallback, name } of actions) {
        const value = Object.hasOwn(query, name) ? query[name] : (fallback as (typeof query)[string] | undefined)
        key.push(value ?? null)
        if (value !== undefined && value !== null) selection = action.apply(selection, value)
      }
      return { key: JSON.stringify(key), selection }
    },
  }
}

function actionOf(parameter: ViewParameter, context: QueryContext): QueryAction | undefined {
  const meant = parameterOverrideOf(parameter)
  if (meant === 'ignore') return undefined
  if (meant !== undefined) {
    const rule = Object.hasOwn(namedRules, meant) ? namedRules[meant] : selectByProperty
    return rule?.({ ...parameter, name: meant }, context)
  }
  for (const rule of rules) {
    const action = rule(parameter, context)
    if (action) return action
  }
  return undefined
}
