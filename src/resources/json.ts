/** Freezes, compares and merges JSON values. Keys such as `__proto__` are treated like any other. */
import { isObject, type JsonObject, listOf, objectOf } from '../documents/object.js'

/** Freezes a JSON value and all values inside it. JavaScript cannot freeze bytes. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

/** Tells whether two JSON values are equal. The order of keys does not count. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isEqual(item, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  return differingKeys(one, other).length === 0
}

/** Lists the keys of two objects that one of them lacks, or whose values differ. */
export const differingKeys = (one: JsonObject, other: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (key) => !(Object.hasOwn(one, key) && Object.hasOwn(other, key) && isEqual(one[key], other[key])),
  )

/**
 * Merges a change into a value: objects are merged, everything else is replaced.
 *
 * @param isMergePatch - True if null removes a property, as in RFC 7396. Otherwise null replaces the value.
 */
export function merge(target: unknown, change: unknown, isMergePatch: boolean): unknown {
  if (!isObject(change)) return change
  const merged = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(change)) {
    if (value === null && isMergePatch) merged.delete(key)
    else merged.set(key, merge(merged.get(key), value, isMergePatch))
  }
  return Object.fromEntries(merged)
}

/** Returns an object without some properties: itself, if there are none to leave out. */
export const withoutProperties = (object: JsonObject, names: readonly string[]): JsonObject =>
  names.length === 0 ? object : Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** Tells whether a value is in another one, whose objects may have got more, and may lack what is null. */
export const isWithin = (value: unknown, other: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof other === 'object' && other !== null
    ? Object.entries(value).every(([name, inner]) =>
        isWithin(inner, objectOf(other)[name] ?? listOf(other)[Number(name)]),
      )
    : (value ?? undefined) === (other ?? undefined)
