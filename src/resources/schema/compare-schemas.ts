/** Two schemas of one thing: that of a request and that of a record. */
import type { JsonObject } from '../../documents/object.js'
import { isMarked, itemsOf, objectSchema, declaredTypes } from './object-schema.js'

/** The parts of a value that must have what a record requires. */
export type NeededParts = 'everywhere' | 'items' | 'nowhere'

/**
 * Finds where a client's value could not be stored, because the schemas differ in type, or because the record requires what the
 * client need not send.
 *
 * @param needed - Where the value must have what the record requires: everywhere, in the items of arrays (a value that is merged: arrays are
 *   replaced), or nowhere (what is missing is filled in).
 * @returns The difference as a clause such as `tags[] is string in the request, object in the record`. Undefined: none.
 */
export function findDifference(
  sent: JsonObject,
  stored: JsonObject,
  name: string,
  needed: NeededParts,
  seen: ReadonlySet<JsonObject> = new Set(),
): string | undefined {
  if (sent === stored || seen.has(sent)) return undefined
  if (differInType(sent, stored))
    return `${name} is ${declaredTypes(sent).join(' or ')} in one and ${declaredTypes(stored).join(' or ')} in the other`
  const inside = new Set([...seen, sent])
  const [sentItems, storedItems] = [itemsOf(sent), itemsOf(stored)]
  if (sentItems && storedItems)
    return findDifference(sentItems, storedItems, `${name}[]`, needed === 'items' ? 'everywhere' : needed, inside)
  const [sentObject, storedObject] = [objectSchema(sent), objectSchema(stored)]
  if (!sentObject || !storedObject || sentObject.properties.size === 0) return undefined
  for (const [key, property] of storedObject.properties) {
    const other = sentObject.properties.get(key)
    const path = `${name}.${key}`
    if (
      needed === 'everywhere' &&
      storedObject.required.has(key) &&
      !sentObject.required.has(key) &&
      !isMarked(property, 'writeOnly')
    )
      return `the record requires ${path}, and the request does not`
    const difference = other && findDifference(other, property, path, needed, inside)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Tells whether two schemas have no type in common. Null aside, and an integer is a number. */
function differInType(one: JsonObject, other: JsonObject): boolean {
  const [ones, others] = [numbered(one), numbered(other)]
  return ones.length > 0 && others.length > 0 && !ones.some((type) => others.includes(type))
}

const numbered = (schema: JsonObject): readonly string[] =>
  declaredTypes(schema)
    .filter((type) => type !== 'null')
    .map((type) => (type === 'integer' ? 'number' : type))

/** The one scalar type that a schema allows, null aside. Undefined: several, or none. */
export function scalarType(schema: JsonObject): 'string' | 'integer' | 'number' | 'boolean' | undefined {
  const [type, ...others] = declaredTypes(schema).filter((each) => each !== 'null')
  if (others.length > 0) return undefined
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined
}
