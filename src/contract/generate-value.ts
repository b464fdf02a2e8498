/** Makes the least value that fits a schema: required properties and least lengths only. It ends also where a schema contains itself. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { lookUp } from './references.js'

/** How deep a value may be nested. What demands more cannot be made. */
const maxDepth = 30

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:30:00Z',
  duration: 'P1D',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  time: '09:30:00Z',
  uri: 'https://example.com',
  'uri-reference': '/',
  'uri-template': '/{id}',
  url: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/**
 * Makes the least value that fits a schema. Patterns, `not` and conditions are not looked at, so the value still has to be checked.
 *
 * @param root - The document that references of the schema point into.
 */
export function leastValue(root: unknown, schema: unknown): unknown {
  return makeValue(root, schema, 0)
}

function makeValue(root: unknown, given: unknown, depth: number): unknown {
  if (depth > maxDepth) return null
  const schema = flatten(root, given, 0)
  if ('const' in schema) return schema['const']
  const values: unknown = schema['enum']
  if (Array.isArray(values)) return values[0] as unknown
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(root, schema, depth)
    case 'array': {
      const first: unknown[] = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
      const length = numberOf(schema, 'minItems') ?? 0
      return Array.from({ length }, (_, index) => makeValue(root, first[index] ?? schema['items'], depth + 1))
    }
    case 'boolean':
      return true
    case 'null':
      return null
    case 'integer':
    case 'number':
      return makeNumber(schema)
    default:
      return (formats[String(schema['format'])] ?? '').padEnd(numberOf(schema, 'minLength') ?? 0, 'x')
  }
}

function makeObject(root: unknown, schema: JsonObject, depth: number): JsonObject {
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const made = required.map(String).flatMap((name) => {
    const property: unknown = Object.hasOwn(properties, name) ? properties[name] : {}
    const isSent = !isObject(property) || property['writeOnly'] !== true
    return isSent ? [[name, makeValue(root, property, depth + 1)] as const] : []
  })
  return Object.fromEntries(made)
}

function makeNumber(schema: JsonObject): number {
  const step = numberOf(schema, 'multipleOf') ?? 1
  const above = numberOf(schema, 'exclusiveMinimum')
  const least = numberOf(schema, 'minimum') ?? (above === undefined ? undefined : above + step)
  const most = numberOf(schema, 'maximum') ?? numberOf(schema, 'exclusiveMaximum')
  if (least !== undefined) return Math.ceil(least / step) * step
  return most === undefined || most > 0 ? 0 : Math.floor(most / step) * step - step
}

const numberOf = (schema: JsonObject, key: string): number | undefined =>
  typeof schema[key] === 'number' ? schema[key] : undefined

function typeOf(schema: JsonObject): unknown {
  const types: unknown[] = [schema['type']].flat()
  if (schema['type'] !== undefined) return types.find((type) => type !== 'null') ?? 'null'
  if ('properties' in schema || 'required' in schema) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

/** One schema of what a schema refers to, all of `allOf`, and the first of `oneOf` and `anyOf`. */
function flatten(root: unknown, given: unknown, depth: number): JsonObject {
  if (!isObject(given) || depth > maxDepth) return {}
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = given
  const parts: unknown[] = [
    ...(typeof reference === 'string' ? [lookUp(root, reference)?.value] : []),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ...(Array.isArray(anyOf) ? anyOf.slice(0, 1) : []),
    ...(Array.isArray(oneOf) ? oneOf.slice(0, 1) : []),
  ]
  return parts.map((part) => flatten(root, part, depth + 1)).reduce(merge, own)
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...other, ...one }
  if (isObject(one['properties']) && isObject(other['properties']))
    merged['properties'] = { ...other['properties'], ...one['properties'] }
  if (Array.isArray(one['required']) && Array.isArray(other['required']))
    merged['required'] = [...new Set<unknown>([...(one['required'] as unknown[]), ...(other['required'] as unknown[])])]
  return merged
}
