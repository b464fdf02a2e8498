/** A parameter that is named like a scalar property of the record selects the records with that value. An array selects the records with any of its values. */
import type { JsonObject } from '../../documents/object.js'
import { scalarType } from '../schema/compare-schemas.js'
import { findKeyword, itemsOf } from '../schema/object-schema.js'
import type { QueryRule } from './query-action.js'

/** Parameters that search in all properties, also where a property has their name. */
const searchNames: ReadonlySet<string> = new Set(['search', 'q', 'query'])

/** Values that select every record, where the property cannot have them. */
const everyNames: ReadonlySet<unknown> = new Set(['all', 'any'])

/** Selects records by a property, as `x-double` says. */
export const selectByProperty: QueryRule = ({ name, schema }, { properties }) => {
  const property = properties.get(name)
  const type = property && scalarType(property)
  if (!property || type === undefined || scalarType(itemsOf(schema) ?? schema) !== type) return undefined
  const every = new Set(foreignValues(schema, property).filter((value) => everyNames.has(value)))
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

/** Selects records by a property whose values the parameter has. Not by one of a search, or with values that mean something else. */
export const equality: QueryRule = (parameter, context) => {
  const { name, schema } = parameter
  const property = context.properties.get(name)
  const isForeign = property && foreignValues(schema, property).some((value) => !everyNames.has(value))
  return searchNames.has(name) || isForeign ? undefined : selectByProperty(parameter, context)
}

/** Lists the values that a parameter allows and the property does not. Empty unless both list their values. */
function foreignValues(schema: JsonObject, property: JsonObject): readonly unknown[] {
  const given = findKeyword(itemsOf(schema) ?? schema, 'enum')
  const known = findKeyword(property, 'enum')
  return Array.isArray(given) && Array.isArray(known)
    ? (given as unknown[]).filter((value) => !(known as unknown[]).includes(value))
    : []
}
