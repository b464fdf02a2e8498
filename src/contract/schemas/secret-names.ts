/** Finds the names of secrets in a spec: parameters of security schemes, and parameters and properties with `format: password`. */
import { isObject } from '../../documents/object.js'
import { listOf } from './schema-parts.js'

/** Finds the names of secrets in a dereferenced spec, which may contain cycles. @returns The names in lower case. */
export function secretNamesOf(document: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    pending.push(...Object.values(value))
    if (!isObject(value)) continue
    const { in: place, name, properties, schema, type } = value
    if (typeof name === 'string' && typeof place === 'string' && (type === 'apiKey' || isPassword(schema)))
      names.add(name.toLowerCase())
    if (!isObject(properties)) continue
    for (const [property, its] of Object.entries(properties)) if (isPassword(its)) names.add(property.toLowerCase())
  }
  return names
}

/** Tells whether a schema describes a password. */
export const isPassword = (schema: unknown): boolean =>
  isObject(schema) && (schema['format'] === 'password' || listOf(schema['allOf']).some(isPassword))
