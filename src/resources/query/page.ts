/** `page` counts pages, whose size is the cap. */
import { scalarType } from '../schema/compare.js'
import { keyword } from '../schema/object-schema.js'
import type { QueryRule } from './rule.js'

/** Skips pages. Counts from 0 if the minimum or the default is 0, else from 1. Without a cap the first page has every record. */
export const createPage =
  (cap: QueryRule): QueryRule =>
  (parameter, context) => {
    const { name, schema } = parameter
    if (name !== 'page' || scalarType(schema) !== 'integer') return undefined
    const isCap = (other: typeof parameter): boolean =>
      !context.properties.has(other.name) && cap(other, context) !== undefined
    if (!context.parameters.some(isCap)) return undefined
    const first = keyword(schema, 'minimum') === 0 || keyword(schema, 'default') === 0 ? 0 : 1
    return {
      acts: `counts pages from ${first}`,
      stage: 'skip',
      apply: (selection, value) => {
        const pages = Math.max(0, Number(value) - first)
        return pages === 0 ? selection : { ...selection, skip: selection.skip + pages * (selection.cap ?? Infinity) }
      },
    }
  }
