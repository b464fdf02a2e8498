/** Narrows values of unknown content to objects and arrays. */

export type JsonObject = Readonly<Record<string, unknown>>

export function asObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${JSON.stringify(value)} is not an object`)
  return Object.fromEntries(Object.entries(value))
}

export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${JSON.stringify(value)} is not a list`)
  return value
}

/** Returns a property of each object, or the list of several. */
export function pluck<T extends object>(objects: readonly T[], ...keys: readonly (keyof T)[]): readonly unknown[] {
  const rows = objects.map((each) => keys.map((key) => each[key]))
  return keys.length === 1 ? rows.map(([value]) => value) : rows
}
