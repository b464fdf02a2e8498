export type JsonObject = Readonly<Record<string, unknown>>

/** Tells whether a value is a JSON object. Null and arrays are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value that is an object. Any other value gives an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Returns the object at a key of a value. Empty: there is none. */
export const objectAt = (value: unknown, key: string): JsonObject =>
  isObject(value) && Object.hasOwn(value, key) ? objectOf(value[key]) : {}

/** Returns a value that is a text. Any other value gives an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a value that is a list. Any other value gives an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Sets a property, also one named `__proto__`, which an assignment would not create. */
export function setProperty(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Maps the values of an object. A value that is no object stays as it is. */
export const mapProperties = (object: unknown, map: (value: unknown, key: string) => unknown): unknown =>
  isObject(object) ? Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)])) : object

/** Keeps some properties of an object. A value that is no object stays as it is. */
export const filterProperties = (object: unknown, isKept: (value: unknown, key: string) => boolean): unknown =>
  isObject(object) ? Object.fromEntries(Object.entries(object).filter(([key, value]) => isKept(value, key))) : object

/** Groups values by a key, in their order. */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}
