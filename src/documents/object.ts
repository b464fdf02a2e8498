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

/** Returns the only value of a list. Undefined: it has none, or several. */
export const onlyOf = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined)

/** Sets a property, also one named `__proto__`, which an assignment would not create. */
export function setProperty(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Makes an object with the same keys and other values. */
export const mapValues = <T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, key: string) => U,
): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))

/** Maps the values of an object. A value that is no object stays as it is. */
export const mapProperties = (value: unknown, map: (inner: unknown, key: string) => unknown): unknown =>
  isObject(value) ? mapValues(value, map) : value

/** Keeps some properties of an object. A value that is no object stays as it is. */
export const filterProperties = (object: unknown, isKept: (value: unknown, key: string) => boolean): unknown =>
  isObject(object) ? Object.fromEntries(Object.entries(object).filter(([key, value]) => isKept(value, key))) : object

/** Groups values by a key, in their order. */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}
