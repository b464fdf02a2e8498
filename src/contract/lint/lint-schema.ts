/** Finds what is illegal in a schema, and what is legal but not enforced; and rewrites it so that Ajv enforces the rest. */
import type { ErrorObject } from 'ajv'

import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { nearestName } from '../../nearest-name.js'
import type { Cursor } from '../references.js'
import { invalidKeyword } from '../schemas/compile-schema.js'
import { patternError, withUnicodeFlag } from '../schemas/patterns.js'
import type { Findings } from './findings.js'
import { suggestField } from './lint-fields.js'

const words = (text: string): readonly string[] => text.trim().split(/\s+/u)

/** Keywords that hold one schema. */
const oneSchema = words(`
  additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems
  unevaluatedProperties
`)
/** Keywords that hold a list of schemas. */
const manySchemas = words('allOf anyOf oneOf prefixItems')
/** Keywords that hold schemas by name. */
const namedSchemas = words('properties patternProperties definitions $defs dependentSchemas')
/** Keywords that hold no schema. */
const plain = words(`
  $comment $ref const contentEncoding contentMediaType default dependentRequired deprecated description discriminator enum
  example examples exclusiveMaximum exclusiveMinimum externalDocs format maxContains maximum maxItems maxLength maxProperties
  minContains minimum minItems minLength minProperties multipleOf pattern readOnly required title type uniqueItems writeOnly xml
`)
/** Keywords that say something about a schema and check nothing. */
const annotations = words(`
  $comment default deprecated description discriminator example examples externalDocs title xml nullable readOnly writeOnly
`)
/** Keywords that are legal in JSON Schema and not acted on. */
const ignored = words('$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $vocabulary')
const keywords: readonly string[] = [...oneSchema, ...manySchemas, ...namedSchemas, ...plain, '$schema', 'nullable']
const types = words('string number integer boolean object array null')

/** Formats that Prism checks. */
const checkedFormats = words(`
  byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 json-pointer json-pointer-uri-fragment
  regex relative-json-pointer time uri uri-reference uri-template url uuid
`)
/** Formats that OpenAPI defines and that leave nothing to check. */
const openFormats = words('base64 binary password')

/** What would be right, for the keywords that people get wrong. */
const hints: ReadonlyMap<string, string> = new Map([
  ['type', `use ${types.join(', ')}`],
  ['pattern', 'write a regular expression of JavaScript'],
  ['required', 'list the names of the required properties, such as [content]'],
  ['enum', 'list the values it may have'],
])

/** Dialects that a schema may name: that of OpenAPI, and those of JSON Schema. */
const dialects =
  /^https?:\/\/(?:spec\.openapis\.org\/oas\/3\.1\/|json-schema\.org\/(?:draft-0[4-7]|draft\/20(?:19-09|20-12))\/schema)/u

/** Whether a dialect is one that the double checks by. */
export const isKnownDialect = (dialect: unknown): boolean => typeof dialect === 'string' && dialects.test(dialect)

/** Whether a keyword demands something of a value. */
export const isAssertion = (key: string): boolean =>
  keywords.includes(key) && !annotations.includes(key) && key !== '$ref' && key !== '$schema'

/** What a walk through a spec's schemas carries along. */
export interface SchemaWalk {
  readonly findings: Findings
  /** OpenAPI 3.0 has a dialect of its own: `nullable`, and bounds that are exclusive by a flag. */
  readonly dialect: '3.0' | '3.1'
  /** Schemas already seen; a schema may contain itself. */
  readonly seen: Set<unknown>
}

/** Reports on a schema and on the schemas inside it, and rewrites them in place. */
export function lintSchema(schema: Cursor, walk: SchemaWalk): void {
  const { findings, seen } = walk
  const { value } = schema
  if (typeof value === 'boolean' || seen.has(value)) return
  if (!isObject(value)) {
    findings.refuse(schema, 'is not a schema', 'write an object, such as {type: string}')
    return
  }
  seen.add(value)
  for (const [key, child] of schema.children()) {
    if (key.startsWith('x-') || key === '$ref') continue
    if (!keywords.includes(key)) vetUnknown(schema, key, findings)
    else if (oneSchema.includes(key) && !Array.isArray(child.value)) lintSchema(child, walk)
    else if (manySchemas.includes(key) && Array.isArray(child.value))
      for (const [, item] of child.children()) lintSchema(item, walk)
    else if (namedSchemas.includes(key) && isObject(child.value))
      for (const [, item] of child.children()) lintSchema(item, walk)
    else vetKeyword(schema, key, value[key], walk)
  }
  rewrite(schema, value, walk)
}

function vetUnknown(schema: Cursor, key: string, { note, refuse }: Findings): void {
  const at = [...schema.path, key]
  const meant = ignored.includes(key) ? undefined : suggestField(key, keywords)
  if (meant !== undefined) refuse(at, `"${key}" is not a keyword`, `did you mean "${meant}"?`, 'key')
  else if (ignored.includes(key)) note(at, `${key} is not enforced`, 'use $ref with a JSON pointer', 'key')
  else note(at, `"${key}" is not a keyword, and is not enforced`, `call it x-${key}`, 'key')
}

function vetKeyword(schema: Cursor, key: string, value: unknown, { dialect, findings }: SchemaWalk): void {
  const { note, refuse } = findings
  const at = [...schema.path, key]
  if (key === '$schema') {
    if (!isKnownDialect(value))
      refuse(at, `$schema ${JSON.stringify(value)} is not a dialect that is known`, 'use that of JSON Schema 2020-12')
    return
  }
  if (key === 'nullable') {
    const hasType = isObject(schema.value) && schema.value['type'] !== undefined
    if (dialect === '3.1') note(at, 'nullable is not enforced in OpenAPI 3.1', 'use type: [string, "null"]', 'key')
    else if (typeof value !== 'boolean') refuse(at, `nullable is ${JSON.stringify(value)}`, 'use true or false')
    else if (value && !hasType)
      note(at, 'nullable has no effect without a type beside it, and is not enforced', 'add the type', 'key')
    return
  }
  if (dialect === '3.0' && typeof value === 'boolean' && /^exclusiveM(?:ax|in)imum$/u.test(key)) return
  if (key === 'items' && Array.isArray(value)) {
    refuse(at, 'items is a list', dialect === '3.1' ? 'use prefixItems' : 'write one schema')
    return
  }
  if (key === 'enum' && Array.isArray(value)) {
    // That values are unique is advice only.
    if (value.length === 0) note(at, 'an empty enum is not enforced', 'list the values it may have')
    return
  }
  if (key === 'type' && dialect === '3.0' && (Array.isArray(value) || value === 'null')) {
    const hint = 'use one type, and `nullable: true` where it may be null'
    refuse(at, `type is ${JSON.stringify(value)}, which OpenAPI 3.0 does not have`, hint)
    return
  }
  const error = invalidKeyword({ [key]: value })
  if (key === 'examples' && error) {
    note(at, 'examples is not a list, and is not used', 'write a list of values')
    return
  }
  const wrong = error ? explain(error) : key === 'pattern' ? patternError(String(value)) : undefined
  if (wrong !== undefined) refuse(at, `${key} is ${JSON.stringify(value)}: ${wrong}`, hintFor(key, value))
  else if (key === 'pattern' && withUnicodeFlag(String(value)) === undefined)
    note(at, `pattern ${String(value)} is not enforced`, 'write it so that it compiles with the u flag')
  else if (key === 'format' && typeof value === 'string') vetFormat(at, value, findings)
}

function vetFormat(at: readonly (string | number)[], format: string, { note }: Findings): void {
  if (checkedFormats.includes(format) || openFormats.includes(format)) return
  const meant = nearestName(format, checkedFormats)
  const hint = meant === undefined ? 'add a pattern, if it matters' : `did you mean "${meant}"?`
  note(at, `format "${format}" is not enforced`, hint)
}

function hintFor(key: string, value: unknown): string {
  const meant = key === 'type' && typeof value === 'string' ? nearestName(value, types) : undefined
  return meant === undefined ? (hints.get(key) ?? 'see JSON Schema for what it takes') : `did you mean "${meant}"?`
}

function explain(error: ErrorObject): string {
  return error.instancePath.startsWith('/type') ? 'there is no such type' : `it ${error.message ?? 'is wrong'}`
}

/**
 * Rewrites a schema of OpenAPI into one that Ajv compiles and that means the same. What only names a schema is taken out, since
 * references are resolved already, and so is what OpenAPI gives no effect.
 */
function rewrite(schema: Cursor, value: JsonObject, { findings }: SchemaWalk): void {
  // The walk goes through a copy of the document, which is there to be changed.
  const own = value as Record<string, unknown>
  for (const key of [...ignored, '$schema', 'id']) delete own[key]
  if (Array.isArray(own['enum'])) own['enum'] = uniqueValues(own['enum'])
  if (Array.isArray(own['enum']) && own['enum'].length === 0) delete own['enum']
  if (!Array.isArray(own['examples'])) delete own['examples']
  if (typeof own['pattern'] === 'string') own['pattern'] = withUnicodeFlag(own['pattern'])
  if (own['pattern'] === undefined) delete own['pattern']
  const patterns = own['patternProperties']
  if (!isObject(patterns)) return
  const rewritten = Object.entries(patterns).flatMap(([pattern, item]) => {
    const at = [...schema.path, 'patternProperties', pattern]
    const error = patternError(pattern)
    const text = withUnicodeFlag(pattern)
    if (error !== undefined)
      findings.refuse(at, `"${pattern}" is no pattern: ${error}`, hints.get('pattern') ?? '', 'key')
    else if (text === undefined)
      findings.note(at, `pattern ${pattern} is not enforced`, 'write it so that it compiles with the u flag', 'key')
    return text === undefined ? [] : [[text, item] as const]
  })
  own['patternProperties'] = Object.fromEntries(rewritten)
}

const uniqueValues = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
