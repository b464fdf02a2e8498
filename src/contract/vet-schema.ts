/** Refuses a schema that Prism would skip: one that does not compile, or says what Prism does not listen to. */
import type { ErrorObject } from 'ajv'

import { isObject } from '../documents/object.js'
import { reasonOf } from '../reason.js'
import type { Cursor } from './refs.js'
import { brokenRule } from './schemas.js'
import type { Report } from './vet.js'

const words = (text: string): readonly string[] => text.trim().split(/\s+/u)

/** Keywords that hold one schema. */
const oneSchema = words('additionalItems additionalProperties contains else if items not propertyNames then')
/** Keywords that hold a list of schemas. */
const manySchemas = words('allOf anyOf oneOf')
/** Keywords that hold schemas by name. */
const namedSchemas = words('properties patternProperties definitions')
/** Keywords that hold no schema. */
const plain = words(`
  $comment $ref const contentEncoding contentMediaType default deprecated description discriminator enum example examples
  exclusiveMaximum exclusiveMinimum externalDocs format maximum maxItems maxLength maxProperties minimum minItems minLength
  minProperties multipleOf pattern readOnly required title type uniqueItems writeOnly xml
`)
const keywords: ReadonlySet<string> = new Set([...oneSchema, ...manySchemas, ...namedSchemas, ...plain])

/** Formats that Prism checks, and those of OpenAPI that are a hint with nothing to check. */
const formats = words(`
  binary byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 json-pointer
  json-pointer-uri-fragment password regex relative-json-pointer time uri uri-reference uri-template url uuid
`)

/** What would be right, for the keywords that people get wrong. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['type', 'use string, number, integer, boolean, object, array or null'],
  ['pattern', 'write a regular expression that JavaScript takes with its u flag'],
  ['required', 'list the names of the required properties, such as [content]'],
  ['enum', 'list the values it may have'],
])

/** What a walk through a spec's schemas carries along. */
export interface SchemaWalk {
  readonly report: Report
  /** OpenAPI 3.0 has a dialect of its own: `nullable`, and bounds that are exclusive by a flag. */
  readonly dialect: '3.0' | '3.1'
  /** Schemas already seen; a schema may contain itself. */
  readonly seen: Set<unknown>
}

/** Reports what is wrong with a schema and with the schemas inside it. */
export function vetSchema(schema: Cursor, walk: SchemaWalk): void {
  const { report, seen } = walk
  const { value } = schema
  if (typeof value === 'boolean' || seen.has(value)) return
  if (!isObject(value)) {
    report(schema, 'is not a schema', 'write an object, such as {type: string}')
    return
  }
  seen.add(value)
  const own: Record<string, unknown> = {}
  for (const [key, child] of schema.children()) {
    if (key.startsWith('x-') || (walk.dialect === '3.0' && isOldFlag(key, child.value))) continue
    if (!keywords.has(key)) {
      report(child, `"${key}" is not a keyword that is checked`, `mend its spelling, or call it x-${key}`, 'key')
    } else if (oneSchema.includes(key) && !Array.isArray(child.value)) vetSchema(child, walk)
    else if (manySchemas.includes(key) && Array.isArray(child.value))
      for (const [, item] of child.children()) vetSchema(item, walk)
    else if (namedSchemas.includes(key) && isObject(child.value))
      for (const [name, item] of child.children()) {
        const wrong = key === 'patternProperties' ? regexError(name) : undefined
        if (wrong !== undefined) report(item, `"${name}" is no pattern: ${wrong}`, remedies.get('pattern') ?? '', 'key')
        vetSchema(item, walk)
      }
    else own[key] = value[key]
  }
  if (own['$ref'] !== undefined) delete own['$ref']
  vetKeywords(schema, own, report)
}

const isOldFlag = (key: string, value: unknown): boolean =>
  typeof value === 'boolean' && ['nullable', 'exclusiveMaximum', 'exclusiveMinimum'].includes(key)

function vetKeywords(schema: Cursor, own: Record<string, unknown>, report: Report): void {
  for (const [key, value] of Object.entries(own)) {
    const error = brokenRule({ [key]: value })
    const wrong = error ? explain(error) : key === 'pattern' ? regexError(String(value)) : undefined
    if (wrong === undefined) continue
    const remedy = remedies.get(key) ?? 'see JSON Schema for what it takes'
    report([...schema.path, key], `${key} is ${JSON.stringify(value)}: ${wrong}`, remedy)
  }
  const { format } = own
  if (typeof format === 'string' && !formats.includes(format)) {
    const remedy = `use one of ${formats.join(', ')}, or call it x-format`
    report([...schema.path, 'format'], `format "${format}" is not one that is checked`, remedy)
  }
}

function explain(error: ErrorObject): string {
  return error.instancePath.startsWith('/type') ? 'there is no such type' : `it ${error.message ?? 'is wrong'}`
}

/** What JavaScript says of a regular expression as Prism compiles it. Undefined where it is right. */
function regexError(pattern: string): string | undefined {
  try {
    return void new RegExp(pattern, 'u')
  } catch (error) {
    return `it is not a regular expression (${reasonOf(error)})`
  }
}
