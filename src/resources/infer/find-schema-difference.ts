/** Finds a difference between the schema of a request and the schema of the record. */
import { isMarked, itemsOf, objectSchema, declaredTypes } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'

/** The parts of a value that must have what a record requires. */
export type NeededParts = 'everywhere' | 'items' | 'nowhere'

/**
 * Finds a value of a client that could not be stored, because the schemas differ in type, or because the record requires a property that the
 * client need not send.
 *
 * @param needed - The parts of the value that must have every required property: all, the items of arrays (in a value that is merged, arrays
 *   are replaced), or none (the double fills in missing properties).
 * @returns The difference as a clause such as `tags[] is string in one and object in the other`. Undefined: none.
 */
export function findSchemaDifference(
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
    return findSchemaDifference(sentItems, storedItems, `${name}[]`, needed === 'items' ? 'everywhere' : needed, inside)
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
      return `${path} is required in one and optional in the other`
    const difference = other && findSchemaDifference(other, property, path, needed, inside)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Tells whether two schemas have no type in common. Ignores null. An integer is a number. */
function differInType(one: JsonObject, other: JsonObject): boolean {
  const [ones, others] = [numbered(one), numbered(other)]
  return ones.length > 0 && others.length > 0 && !ones.some((type) => others.includes(type))
}

const numbered = (schema: JsonObject): readonly string[] =>
  declaredTypes(schema)
    .filter((type) => type !== 'null')
    .map((type) => (type === 'integer' ? 'number' : type))
