/** The rule for parameters with the name of a scalar property: they select the records with that value. An array selects the records with any of its values. */
import type { JsonObject } from '../../documents/object.js'
import { findKeyword, itemsOf } from '../schema/object-schema.js'
import { scalarType } from '../schema/scalar-type.js'
import type { QueryRule } from './query-action-types.js'

/** Parameters that search in all properties, even if a property has their name. */
const searchNames: ReadonlySet<string> = new Set(['search', 'q', 'query'])

/** Values that select every record, if the parameter lists them or has them as its default and the property does not list them. */
const everyNames: ReadonlySet<unknown> = new Set(['all', 'any', 'none'])

/** Selects records by the property that `x-double` names. */
export const selectByProperty: QueryRule = ({ name, schema }, { properties }) => {
  const property = properties.get(name)
  const type = property && scalarType(property)
  if (!property || type === undefined || scalarType(itemsOf(schema) ?? schema) !== type) return undefined
  const known = valuesOf(property)
  const named = [...valuesOf(itemsOf(schema) ?? schema), findKeyword(schema, 'default')]
  const every = new Set(named.filter((value) => everyNames.has(value) && !known.includes(value)))
  return {
    acts: `selects by ${name}`,
    stage: 'filter',
    apply: (selection, value) => {
      const values = new Set<unknown>(Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if ([...values].some((each) => every.has(each))) return selection
      return { ...selection, filters: [...selection.filters, { property: name, values }] }
    },
  }
}

/** Selects records by the property with the name of the parameter. Ignores search parameters, and parameters whose values mean something else. */
export const equality: QueryRule = (parameter, context) => {
  const { name, schema } = parameter
  const known = valuesOf(context.properties.get(name) ?? {})
  const isForeign = (value: unknown): boolean => !known.includes(value) && !everyNames.has(value)
  if (searchNames.has(name) || (known.length > 0 && valuesOf(itemsOf(schema) ?? schema).some(isForeign)))
    return undefined
  return selectByProperty(parameter, context)
}

/** Lists the values that a schema enumerates. Empty: it enumerates none. */
function valuesOf(schema: JsonObject): readonly unknown[] {
  const values = findKeyword(schema, 'enum')
  return Array.isArray(values) ? (values as readonly unknown[]) : []
}
