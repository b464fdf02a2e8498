/** The names by which a spec says that a value is secret: parameters of security schemes, and whatever has `format: password`. */
import { isObject } from '../../documents/object.js'

/** Finds them in a dereferenced spec, which may refer to itself. @returns The names, in lower case. */
export function secretNamesOf(document: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const left: unknown[] = [document]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    left.push(...Object.values(value))
    if (!isObject(value)) continue
    const { in: place, name, properties, schema, type } = value
    if (typeof name === 'string' && typeof place === 'string' && (type === 'apiKey' || isPassword(schema)))
      names.add(name.toLowerCase())
    if (isObject(properties))
      for (const [property, its] of Object.entries(properties)) if (isPassword(its)) names.add(property.toLowerCase())
  }
  return names
}

/** Whether the value of a schema is a password. */
export const isPassword = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['format'] === 'password' || (Array.isArray(schema['allOf']) && schema['allOf'].some(isPassword)))
