/** Handles `writeOnly` properties at any depth: they are stored and never sent. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { isMarked, itemsOf, objectSchema } from './object-schema.js'

/** Tells whether a schema has a `writeOnly` property anywhere inside. */
export function hasWriteOnly(schema: JsonObject, seen: Set<JsonObject> = new Set()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  const items = itemsOf(schema)
  if (items) return hasWriteOnly(items, seen)
  const properties = objectSchema(schema)?.properties ?? new Map<string, JsonObject>()
  return [...properties.values()].some((property) => isMarked(property, 'writeOnly') || hasWriteOnly(property, seen))
}

/** Leaves `writeOnly` properties out of a value. */
export function withoutWriteOnly(schema: JsonObject, value: unknown): unknown {
  const items = itemsOf(schema)
  if (items && Array.isArray(value)) return (value as unknown[]).map((item) => withoutWriteOnly(items, item))
  const known = objectSchema(schema)
  if (!known || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const property = known.properties.get(name)
      if (!property) return [[name, inner]]
      return isMarked(property, 'writeOnly') ? [] : [[name, withoutWriteOnly(property, inner)]]
    }),
  )
}

/**
 * Creates the schema of a stored value: a required `writeOnly` property may be missing, because only requests must have it. Returns a schema
 * without such a property unchanged.
 */
export function storedSchema(schema: JsonObject): JsonObject {
  if (!hasWriteOnly(schema)) return schema
  const copies = new Map<object, unknown>()
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (copies.has(value)) return copies.get(value)
    if (Array.isArray(value)) {
      const list: unknown[] = []
      copies.set(value, list)
      for (const item of value as unknown[]) list.push(copy(item))
      return list
    }
    const from = value as JsonObject
    const into: Record<string, unknown> = {}
    copies.set(value, into)
    for (const [key, inner] of Object.entries(from))
      Object.defineProperty(into, key, { value: copy(inner), enumerable: true, writable: true, configurable: true })
    const required = from['required']
    if (Array.isArray(required)) {
      const names = objectSchema(from)?.properties
      into['required'] = (required as unknown[]).filter((name) => {
        const property = typeof name === 'string' ? names?.get(name) : undefined
        return !property || !isMarked(property, 'writeOnly')
      })
    }
    return into
  }
  return copy(schema) as JsonObject
}
