/** Finds the property of a record that its path parameter contains. */
import { scalarType } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isSameName, singularsOf, wordsOf } from '../names.js'

/**
 * Finds the property that a path parameter contains. A property with the name of the parameter comes first, of any type. Of the others, those
 * with the type of the parameter come first. @param collection - The literal segment before the parameter.
 */
export function findIdProperty(
  parameter: string,
  collection: string,
  properties: ReadonlyMap<string, JsonObject>,
  schema: JsonObject,
): string | undefined {
  const names = [...properties.keys()]
  const sameType = names.filter((name) => haveSameIdType(properties.get(name) ?? {}, schema))
  return (
    findNamed(names, parameter) ??
    findRelated(sameType, parameter, collection) ??
    findRelated(names, parameter, collection)
  )
}

const findNamed = (names: readonly string[], name: string): string | undefined =>
  names.find((property) => property === name) ?? names.find((property) => isSameName(property, name))

function findRelated(names: readonly string[], parameter: string, collection: string): string | undefined {
  const named = (name: string): string | undefined => findNamed(names, name)
  const words = wordsOf(parameter)
  const singulars = singularsOf(collection)
  const lastWords = words.slice(1).map((_word, at) => words.slice(at + 1).join(' '))
  const isId = parameter.toLowerCase().endsWith('id') || singulars.some((name) => isSameName(name, parameter))
  return (
    lastWords.map(named).find((property) => property !== undefined) ??
    (isId ? named('id') : undefined) ??
    singulars.map((name) => named(`${name} ${parameter}`)).find((property) => property !== undefined) ??
    (names.includes('_id') ? '_id' : undefined)
  )
}

/** Tells whether two schemas are both of strings or both of numbers, so that both may hold an id. An integer is a number. */
export function haveSameIdType(one: JsonObject, other: JsonObject): boolean {
  const [type, otherType] = [one, other].map((schema) => scalarType(schema)?.replace('integer', 'number'))
  return type !== undefined && type !== 'boolean' && type === otherType
}
