/** The rule for `page`, which counts pages. The size of a page is the cap. */
import type { ViewParameter } from '../contract-view.js'
import { findKeyword } from '../schema/object-schema.js'
import { scalarType } from '../schema/scalar-type.js'
import type { QueryContext, QueryRule } from './query-action-types.js'

/** Returns the number of the first page: 0 if the default is 0, or if there is no default and the minimum is 0. Else 1. */
export function firstPageOf(parameter: ViewParameter | undefined): 0 | 1 {
  if (!parameter) return 1
  const first = findKeyword(parameter.schema, 'default') ?? findKeyword(parameter.schema, 'minimum')
  return first === 0 ? 0 : 1
}

/** Skips pages. Without a cap, the first page has every record. */
export const createPageRule =
  (isCap: (parameter: ViewParameter, context: QueryContext) => boolean): QueryRule =>
  (parameter, context) => {
    const { name, schema } = parameter
    if (name !== 'page' || scalarType(schema) !== 'integer') return undefined
    if (!context.parameters.some((other) => isCap(other, context))) return undefined
    const first = firstPageOf(parameter)
    return {
      acts: `counts pages from ${first}`,
      stage: 'skip',
      apply: (selection, value) => {
        const pages = Math.max(0, Number(value) - first)
        return pages === 0 ? selection : { ...selection, skip: selection.skip + pages * (selection.cap ?? Infinity) }
      },
    }
  }
