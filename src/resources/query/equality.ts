/** A parameter that is named like a scalar property of the record selects the records with that value. An array selects the records with any of its values. */
import { scalarType } from '../schema/compare-schemas.js'
import { itemsOf } from '../schema/object-schema.js'
import type { QueryRule } from './query-action.js'

/** Selects records by a property. */
export const equality: QueryRule = ({ name, schema }, { properties }) => {
  const property = properties.get(name)
  const type = property && scalarType(property)
  if (type === undefined || scalarType(itemsOf(schema) ?? schema) !== type) return undefined
  return {
    acts: `selects by ${name}`,
    stage: 'filter',
    apply: (selection, value) => {
      const values = new Set<unknown>(Array.isArray(value) ? (value as readonly unknown[]) : [value])
      return { ...selection, filters: [...selection.filters, { property: name, values }] }
    },
  }
}
