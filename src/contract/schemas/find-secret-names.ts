/** Finds the names of secrets in a spec: parameters of security schemes, and parameters and properties with `format: password`. */
import { isObject } from '../../documents/object.js'
import { listOf } from './read-schema.js'

/**
 * Finds the names of secrets in a dereferenced spec or a part of it, which may contain cycles.
 *
 * @param isSecretName - Tells whether a property of this name is a secret without `format: password`. Default: none is.
 * @returns The names in lower case.
 */
export function findSecretNames(
  document: unknown,
  isSecretName: (property: string) => boolean = () => false,
): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const pending: unknown[] = [document]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    pending.push(...Object.values(value))
    if (!isObject(value)) continue
    const { in: place, name, properties, type } = value
    if (typeof name === 'string' && typeof place === 'string' && (type === 'apiKey' || isSecretParameter(value)))
      names.add(name.toLowerCase())
    if (!isObject(properties)) continue
    for (const [property, its] of Object.entries(properties))
      if (isSecretName(property) || isPassword(its)) names.add(property.toLowerCase())
  }
  return names
}

/** Tells whether the value of a parameter contains a password: its query, header or cookie is then a secret as a whole. */
export function isSecretParameter({ content, schema }: Readonly<Record<string, unknown>>): boolean {
  const media = isObject(content) ? Object.values(content) : []
  return [schema, ...media.map((each) => isObject(each) && each['schema'])].some((each) => isPassword(each, true))
}

/** The keywords whose schema applies to the value itself or to a part of it without a name. */
const schemaKeywords = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/**
 * Tells whether a schema describes a password, or an array, a map or an alternative that contains one. A password in a property does not
 * count, because the property has its own name.
 *
 * @param inProperties - True if such a password counts too.
 */
export function isPassword(schema: unknown, inProperties = false): boolean {
  const seen = new Set<unknown>()
  const contains = (part: unknown): boolean => {
    if (!isObject(part) || seen.has(part)) return false
    seen.add(part)
    if (part['format'] === 'password') return true
    const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'].flatMap((keyword) => listOf(part[keyword]))
    const maps = inProperties
      ? ['properties', 'patternProperties', 'dependentSchemas']
      : ['patternProperties', 'dependentSchemas']
    const values = maps.flatMap((keyword) => Object.values(isObject(part[keyword]) ? part[keyword] : {}))
    return [...lists, ...values, ...schemaKeywords.map((keyword) => part[keyword])].some(contains)
  }
  return contains(schema)
}
