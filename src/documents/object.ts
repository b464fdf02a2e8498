export type JsonObject = Readonly<Record<string, unknown>>

/** Tells whether a value is a JSON object. Null and arrays are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the object at a key of a value. Empty: there is none. */
export function objectAt(value: unknown, key: string): JsonObject {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}
