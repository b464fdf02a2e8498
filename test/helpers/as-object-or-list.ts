/** Narrows values of unknown content to objects and arrays. */

/** An object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a value as an object. @throws {TypeError} It is not an object. */
export function asObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${JSON.stringify(value)} is not an object`)
  return Object.fromEntries(Object.entries(value))
}

/** Returns a value as an array. @throws {TypeError} It is not an array. */
export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${JSON.stringify(value)} is not a list`)
  return value
}
