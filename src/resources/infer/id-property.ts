/** Finds the property of a record that its path parameter names. */
import type { JsonObject } from '../../documents/object.js'
import { isSameName, singularsOf, wordsOf } from '../name-words.js'
import { scalarType } from '../schema/compare-schemas.js'

/**
 * Finds the property that a path parameter holds.
 *
 * @param parameter - Name of the path parameter.
 * @param collection - The literal segment before it.
 * @param properties - Properties of the record.
 */
export function findIdProperty(
  parameter: string,
  collection: string,
  properties: ReadonlyMap<string, JsonObject>,
): string | undefined {
  const names = [...properties.keys()]
  const named = (name: string): string | undefined =>
    names.find((property) => property === name) ?? names.find((property) => isSameName(property, name))
  const words = wordsOf(parameter)
  const singulars = singularsOf(collection)
  const lastWords = words.slice(1).map((_word, at) => words.slice(at + 1).join(' '))
  const isId = parameter.toLowerCase().endsWith('id') || singulars.some((name) => isSameName(name, parameter))
  return (
    named(parameter) ??
    lastWords.map(named).find((property) => property !== undefined) ??
    (isId ? named('id') : undefined) ??
    singulars.map((name) => named(`${name} ${parameter}`)).find((property) => property !== undefined) ??
    (properties.has('_id') ? '_id' : undefined)
  )
}

/** The type of an id. Undefined: it cannot be one. */
export function idType(schema: JsonObject): 'string' | 'integer' | 'number' | undefined {
  const type = scalarType(schema)
  return type === 'boolean' ? undefined : type
}
