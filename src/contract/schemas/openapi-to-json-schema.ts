/**
 * Schemas as they are checked: OpenAPI's own keywords become plain JSON Schema.
 *
 * Prism converts some of them, but not below every keyword, and not all of them rightly: it narrows int64 to 53 bits, allows null beside
 * an `enum` that lacks it, reads `nullable` in OpenAPI 3.1 too, and demands `readOnly` properties that stand beside an `allOf`.
 */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'

/** Which side of an exchange a schema describes. */
type Side = 'request' | 'response'

/** Keywords that hold one schema, or a list of them, for a part of the value. */
const partSchemas = new Set(['additionalItems', 'additionalProperties', 'contains', 'items', 'not', 'propertyNames'])
/** Keywords that hold schemas for the same value. */
const sameSchemas = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'])
/** Keywords that hold schemas by name. */
const namedSchemas = new Set(['properties', 'patternProperties', 'definitions'])

const base64Pattern = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'

/** Bounds that a numeric format adds. 2^63 - 1 is no JavaScript number, 2^63 is. */
const formatBounds: ReadonlyMap<unknown, JsonObject> = new Map([
  ['int32', { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }],
  ['int64', { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 }],
])

/** Prepares schemas for checking. */
export interface SchemaPreparer {
  /** Prepares a schema. It may contain itself. The same schema gives the same copy. */
  prepare(schema: unknown, side: Side): unknown
}

/** Creates a preparer for the schemas of one document. @param isOpenApi30 - Whether `nullable` is a keyword. */
export function createSchemaPreparer(isOpenApi30: boolean): SchemaPreparer {
  const copies = new Map<JsonObject, Map<string, JsonObject>>()

  const copy = (schema: unknown, side: Side, inherited: ReadonlySet<string>): unknown => {
    if (Array.isArray(schema)) return schema.map((each) => copy(each, side, inherited))
    if (!isObject(schema)) return schema
    const optional = new Set([...inherited, ...namesOfOtherSide(schema, side)])
    const key = [side, ...[...optional].toSorted()].join('\n')
    const known = copies.get(schema)?.get(key)
    if (known) return known
    const into: Record<string, unknown> = {}
    copies.set(schema, (copies.get(schema) ?? new Map<string, JsonObject>()).set(key, into))
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'readOnly' || keyword === 'writeOnly') continue
      if (keyword === 'required' && Array.isArray(value))
        into[keyword] = value.filter((name: unknown) => !optional.has(String(name)))
      else if (partSchemas.has(keyword)) into[keyword] = copy(value, side, new Set())
      else if (sameSchemas.has(keyword)) into[keyword] = copy(value, side, optional)
      else if (namedSchemas.has(keyword) && isObject(value))
        into[keyword] = Object.fromEntries(
          Object.entries(value).map(([name, child]) => [name, copy(child, side, new Set())]),
        )
      else into[keyword] = value
    }
    convertNullable(into, isOpenApi30)
    convertExclusiveFlags(into)
    convertFormat(into)
    return into
  }

  return { prepare: (schema, side) => copy(schema, side, new Set()) }
}

/** Lists the properties that the other side alone has to send: `readOnly` in requests, `writeOnly` in responses. */
function namesOfOtherSide(schema: JsonObject, side: Side, seen: Set<unknown> = new Set()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const flag = side === 'request' ? 'readOnly' : 'writeOnly'
  const { allOf, properties } = schema
  const own = isObject(properties) ? Object.entries(properties) : []
  return [
    ...own.filter(([, property]) => isFlagged(property, flag)).map(([name]) => name),
    ...(Array.isArray(allOf) ? allOf.filter(isObject) : []).flatMap((part) => namesOfOtherSide(part, side, seen)),
  ]
}

function isFlagged(schema: unknown, flag: string, seen: Set<unknown> = new Set()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  const { allOf } = schema
  return schema[flag] === true || (Array.isArray(allOf) && allOf.some((part) => isFlagged(part, flag, seen)))
}

/** OpenAPI 3.0: null joins the type, and only the type. OpenAPI 3.1 has no such keyword. */
function convertNullable(schema: Record<string, unknown>, isOpenApi30: boolean): void {
  const { nullable, type } = schema
  if (typeof nullable !== 'boolean') return
  delete schema['nullable']
  if (isOpenApi30 && nullable && typeof type === 'string') schema['type'] = [type, 'null']
}

/** OpenAPI 3.0: a flag makes the bound beside it exclusive. */
function convertExclusiveFlags(schema: Record<string, unknown>): void {
  for (const [flag, bound] of [
    ['exclusiveMaximum', 'maximum'],
    ['exclusiveMinimum', 'minimum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue
    const isExclusive = schema[flag] && typeof schema[bound] === 'number'
    if (isExclusive) schema[flag] = schema[bound]
    delete schema[isExclusive ? bound : flag]
  }
}

/** What Prism would make of these formats is looser, or wrong. */
function convertFormat(schema: Record<string, unknown>): void {
  const { allOf, format } = schema
  const bounds = formatBounds.get(format)
  if (bounds) {
    delete schema['format']
    tighten(schema, bounds)
  } else if (format === 'byte') {
    delete schema['format']
    if (schema['pattern'] === undefined) schema['pattern'] = base64Pattern
    else schema['allOf'] = [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), { pattern: base64Pattern }]
  }
}

/** Adds bounds where the schema has none that are narrower. */
function tighten(schema: Record<string, unknown>, bounds: JsonObject): void {
  for (const [keyword, bound] of Object.entries(bounds)) {
    const own = schema[keyword]
    const pick = keyword === 'minimum' ? Math.max : Math.min
    schema[keyword] = typeof own === 'number' ? pick(own, Number(bound)) : bound
  }
  const { exclusiveMaximum, maximum } = schema
  if (typeof maximum !== 'number' || typeof exclusiveMaximum !== 'number') return
  delete schema[maximum < exclusiveMaximum ? 'exclusiveMaximum' : 'maximum']
}
