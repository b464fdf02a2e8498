/** Compares the types of two schemas of a value: the sent one and the stored one. */
import { declaredTypes, itemsOf, objectSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'

/** Tells whether two schemas have a type in common, and so have the objects and the items of arrays in both. */
export function areCompatible(
  sent: JsonObject,
  stored: JsonObject,
  seen: ReadonlySet<JsonObject> = new Set(),
): boolean {
  if (sent === stored || seen.has(sent)) return true
  if (differInType(sent, stored)) return false
  const inside = new Set([...seen, sent])
  const [sentItems, storedItems] = [itemsOf(sent), itemsOf(stored)]
  if (sentItems && storedItems) return areCompatible(sentItems, storedItems, inside)
  const properties = objectSchema(sent)?.properties
  return [...propertiesOf(stored)].every(([key, property]) => {
    const other = properties?.get(key)
    return !other || areCompatible(other, property, inside)
  })
}

/** Lists the places in a sent value whose types differ from those of the stored one: the empty one is its own. Those in lists count for the list. */
export function placesOfOtherType(
  sent: JsonObject,
  stored: JsonObject,
  at: readonly string[] = [],
): readonly (readonly string[])[] {
  if (areCompatible(sent, stored)) return []
  const [own, others] = [objectSchema(sent)?.properties, propertiesOf(stored)]
  if (!own || others.size === 0 || differInType(sent, stored)) return [at]
  return [...others].flatMap(([name, property]) => {
    const other = own.get(name)
    return other ? placesOfOtherType(other, property, [...at, name]) : []
  })
}

/** Tells whether two schemas have no type in common. Ignores null. An integer is a number. */
function differInType(...schemas: readonly JsonObject[]): boolean {
  const [ones = [], others = []] = schemas.map((schema) =>
    declaredTypes(schema).flatMap((type) => (type === 'null' ? [] : type.replace('integer', 'number'))),
  )
  return ones.length > 0 && others.length > 0 && !ones.some((type) => others.includes(type))
}
