/** Writes schemas of a contract as JSON Schema draft 7, for editors: without cycles, and without the keywords of OpenAPI. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'

/** Keywords that are copied unchanged. */
const plain: ReadonlySet<string> = new Set(
  (
    'type title description default enum const format pattern minLength maxLength minimum maximum multipleOf ' +
    'minItems maxItems uniqueItems minProperties maxProperties required examples'
  ).split(' '),
)
const single: ReadonlySet<string> = new Set([
  'not',
  'items',
  'additionalProperties',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
])
const many: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])

/** A writer of schemas. Schemas that contain themselves become definitions. */
export interface Draft7Writer {
  /** The definitions by name. They are complete when all schemas have been written. */
  readonly definitions: Readonly<Record<string, unknown>>
  write(schema: unknown): unknown
}

/** Creates a writer. @param nameOf - Returns the name of a schema. Undefined: it has none. */
export function createDraft7Writer(nameOf: (schema: JsonObject) => string | undefined): Draft7Writer {
  const definitions: Record<string, unknown> = {}
  const names = new Map<JsonObject, string>()
  const open = new Set<JsonObject>()
  const recursive = new Set<JsonObject>()

  const nameFor = (schema: JsonObject): string => {
    const known = names.get(schema)
    if (known !== undefined) return known
    const wanted = nameOf(schema) ?? 'schema'
    const taken = new Set(names.values())
    let name = wanted
    for (let number = 2; taken.has(name) || name === '__proto__'; number += 1) name = `${wanted}-${number}`
    names.set(schema, name)
    return name
  }

  const write = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema
    if (open.has(schema) || recursive.has(schema)) {
      recursive.add(schema)
      return { $ref: `#/definitions/${nameFor(schema).replaceAll('~', '~0').replaceAll('/', '~1')}` }
    }
    open.add(schema)
    const written = writeKeywords(schema, write)
    open.delete(schema)
    if (!recursive.has(schema)) return written
    definitions[nameFor(schema)] = written
    return write(schema)
  }
  return { definitions, write }
}

function writeKeywords(schema: JsonObject, write: (schema: unknown) => unknown): JsonObject {
  const written = new Map<string, unknown>()
  for (const [key, value] of Object.entries(schema)) {
    if (plain.has(key)) written.set(key, value)
    else if (single.has(key)) written.set(key, write(value))
    else if (many.has(key) && Array.isArray(value)) written.set(key, (value as unknown[]).map(write))
    else if ((key === 'properties' || key === 'patternProperties') && isObject(value))
      written.set(key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, write(inner)])))
    else if (key === 'example' && !('examples' in schema)) written.set('examples', [value])
    // OpenAPI 3.0 marks the bound as exclusive; JSON Schema has a separate keyword.
    else if (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') {
      const bound = key === 'exclusiveMinimum' ? 'minimum' : 'maximum'
      if (typeof value === 'number') written.set(key, value)
      else if (value === true) written.set(key, schema[bound])
    }
  }
  const type = written.get('type')
  if (schema['nullable'] === true && typeof type === 'string') written.set('type', [type, 'null'])
  if (schema['nullable'] === true && Array.isArray(schema['enum']))
    written.set('enum', [...new Set([...(schema['enum'] as unknown[]), null])])
  return Object.fromEntries(written)
}
