/** Reports errors in a schema and the keywords that are not enforced, and changes it so that Ajv compiles it. */
import { isDeepStrictEqual } from 'node:util'

import { isObject, listOf, objectAt } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { nearestName, suggest } from '../../nearest-name.js'
import type { Cursor } from '../references.js'
import {
  describeSchemaError,
  dialect2020,
  findSchemaError,
  checkedFormats,
  ignoredKeywords,
  isKnownDialect,
  schemaKeywords,
  oneSchemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
  anyStringFormats,
} from '../schemas/keywords.js'
import { isSlowPattern, patternLimitMs, withUnicodeFlag } from '../schemas/patterns.js'
import { jsonTypes } from '../schemas/read-schema.js'
import { assumeMeaning } from './assume-schemas.js'
import { countAsEmpty, ignoreEmpty, type Findings, lettersOf, respellKeys, suggestField } from './findings.js'

type Path = readonly Segment[]

export interface SchemaWalk {
  readonly findings: Findings
  /** The version of OpenAPI. 3.0 has its own dialect: `nullable`, and boolean `exclusiveMaximum` and `exclusiveMinimum`. */
  readonly dialect: '3.0' | '3.1'
  /** Visited schemas. A schema may contain itself. */
  readonly seen: Set<unknown>
}

/** Reports errors in a schema and its subschemas, and rewrites them in place. */
export function lintAndRewriteSchema(schema: Cursor, walk: SchemaWalk): void {
  const { findings, seen } = walk
  const { value } = schema
  if (typeof value === 'boolean' || seen.has(value)) return
  // `description` among the properties is that of the object around them.
  const isText = typeof value === 'string' && schema.path.at(-2) === 'properties'
  if (value === null || isText) return countAsEmpty(schema, findings)
  if (!isObject(value)) return findings.refuse(schema, 'is not a schema', 'write an object, such as {type: string}')
  seen.add(value)
  respellKeys(schema, knownKeys, findings, isFit)
  assumeMeaning(schema, value, findings)
  useNullable(schema, value, walk)
  for (const [key, child] of schema.children()) {
    if (key.startsWith('x-') || key === '$ref') continue
    if (child.value === null && !mayBeNull.has(key)) ignoreEmpty(value, [...schema.path, key], findings)
    else if (!schemaKeywords.includes(key)) lintUnknown(schema, key, value[key], findings)
    else if (oneSchemaKeywords.includes(key) && !Array.isArray(child.value)) lintAndRewriteSchema(child, walk)
    else if (schemaListKeywords.includes(key) && Array.isArray(child.value) && child.value.length > 0)
      for (const item of child.items()) lintAndRewriteSchema(item, walk)
    else if (schemaMapKeywords.includes(key) && isObject(child.value))
      for (const [name, item] of child.children()) {
        if (key === 'patternProperties') notePattern([...schema.path, key, name], name, findings, 'key')
        lintAndRewriteSchema(item, walk)
      }
    else {
      if (key === 'items') for (const item of child.items()) lintAndRewriteSchema(item, walk)
      lintKeyword([...schema.path, key], key, value, walk)
    }
  }
  makeSchemaCompilable(value)
}

const knownKeys = [...schemaKeywords, ...ignoredKeywords]

/** A misspelt keyword with a schema may be any schema: its errors are reported there. */
const isFit = (key: string, value: unknown): boolean =>
  isObject(value) || findSchemaError({ [key]: value }) === undefined

/** The keywords whose value may be null. */
const mayBeNull: ReadonlySet<string> = new Set(['const', 'default', 'example'])

/** Reads `nullable` as documents mean it where their version of OpenAPI gives it no effect: in 3.1, and in 3.0 next to `allOf`, `anyOf` or `oneOf`. */
function useNullable({ path }: Cursor, own: Record<string, unknown>, { dialect, findings }: SchemaWalk): void {
  const at = [...path, 'nullable']
  const { nullable, type } = own
  const parts = Object.entries(own).filter(([key]) => /^(?:all|any|one)Of$/u.test(key))
  if (nullable !== true || (type === undefined ? parts.length === 0 : dialect === '3.0')) return
  delete own['nullable']
  if (type !== undefined) {
    findings.note(at, 'nullable counts as in OpenAPI 3.0', 'use type: [string, "null"]', 'key')
    own['type'] = [...new Set([type, 'null'].flat())]
    return
  }
  const hint = dialect === '3.0' ? 'add the type' : 'use anyOf'
  findings.note(at, 'nullable without a type counts as a choice of null', hint, 'key')
  for (const [name] of parts) Reflect.deleteProperty(own, name)
  own['anyOf'] = [Object.fromEntries(parts), { enum: [null] }]
}

function lintUnknown(schema: Cursor, key: string, value: unknown, findings: Findings): void {
  const { note, refuse } = findings
  const at = [...schema.path, key]
  if (ignoredKeywords.includes(key)) return note(at, `${key} is not enforced`, 'use $ref with a JSON pointer', 'key')
  const meant = suggestField(key, schemaKeywords)
  if (meant !== undefined && isFit(meant, value))
    return refuse(at, `"${key}" is not a keyword`, `did you mean ${meant}?`, 'key')
  // JSON Schema has keywords that OpenAPI does not have, such as `dependencies`.
  const error = findSchemaError({ [key]: value })
  if (error)
    refuse(at, `${key} is ${JSON.stringify(value)}: ${describeSchemaError(error)}`, 'see JSON Schema for its values')
  else note(at, `"${key}" is not a keyword, and is not enforced`, `rename it x-${key}`, 'key')
}

/** @param own - The schema, a copy that may be changed. */
function lintKeyword(at: Path, key: string, own: Record<string, unknown>, { dialect, findings }: SchemaWalk): void {
  const { note, refuse } = findings
  const value = own[key]
  if (key === '$schema') {
    if (!isKnownDialect(value))
      refuse(at, `$schema ${JSON.stringify(value)} is not a known dialect`, `use ${dialect2020}`)
    return
  }
  if (key === 'nullable') {
    if (dialect === '3.1') delete own[key]
    if (typeof value !== 'boolean') refuse(at, `nullable is ${JSON.stringify(value)}`, 'use true or false')
    else if (value && own['type'] === undefined)
      note(at, 'nullable has no effect without a type, and is not enforced', 'add the type', 'key')
    return
  }
  if (typeof value === 'boolean' && /^exclusiveM(?:ax|in)imum$/u.test(key)) {
    if (dialect === '3.0') return
    const limit = key === 'exclusiveMaximum' ? 'maximum' : 'minimum'
    delete own[key]
    if (value && own[limit] !== undefined) {
      own[key] = own[limit]
      delete own[limit]
    }
    return note(at, `${key}: ${value} counts as in OpenAPI 3.0`, 'write the limit as its value', 'key')
  }
  if (key === 'items' && Array.isArray(value)) {
    if (dialect === '3.1') return refuse(at, 'items is a list', 'use prefixItems')
    // Some mean a tuple, others a choice: of a tuple, each item fits one of them, too.
    own[key] = { anyOf: value }
    return note(at, 'items is a list, of which each item must fit one', 'write one schema')
  }
  if (key === 'enum' && Array.isArray(value)) {
    // JSON Schema only recommends unique values.
    if (value.length === 0) note(at, 'an empty enum is not enforced', 'list the allowed values')
    // YAML reads `[true, 501, all]` as a flag, a number and a text.
    const others = own['type'] === 'string' ? value.filter((each) => /^(?:boolean|number)$/u.test(typeof each)) : []
    if (others.length === 0) return
    own[key] = value.map((each: unknown) => (others.includes(each) ? String(each) : each))
    note(at, `${others.join(', ')} count as text, as the type is string`, 'write them in quotes')
    return
  }
  const meant = key === 'type' ? meantType(value) : undefined
  if (meant !== undefined) {
    own[key] = meant
    const is31 = dialect === '3.0' && (Array.isArray(meant) || meant === 'null')
    if (is31) note(at, `type ${JSON.stringify(value)} counts as in OpenAPI 3.1`, 'use one type, and `nullable: true`')
    else if (!isDeepStrictEqual(meant, value))
      note(at, `type ${JSON.stringify(value)} counts as ${JSON.stringify(meant)}`, 'write it so')
    return
  }
  if (key === 'required') {
    const names = listOf(value).map((name) => meantName(name, Object.keys(objectAt(own, 'properties'))))
    const unique = [...new Set(names)]
    const isRespelt = !isDeepStrictEqual(names, listOf(value))
    if (isRespelt || unique.length < names.length) own[key] = unique
    if (isRespelt) return note(at, `required counts as ${JSON.stringify(names)}`, 'name properties as they are written')
    if (unique.length < names.length) return note(at, 'required names a property twice', 'name each property once')
  }
  const error = findSchemaError({ [key]: value })
  if (key === 'type' && error && [value].flat().every((name) => typeof name === 'string')) {
    delete own[key]
    return note(at, `type ${JSON.stringify(value)} is not known, so any value is valid`, `use ${jsonTypes.join(', ')}`)
  }
  if (key === 'examples' && error) return note(at, 'examples is not a list, and is not used', 'write a list of values')
  const hint = key === 'type' ? `use ${jsonTypes.join(', ')}` : 'see JSON Schema for its values'
  const [, inside, flags] = (key === 'pattern' && literalPattern.exec(String(value))) || []
  if (error) refuse(at, `${key} is ${JSON.stringify(value)}: ${describeSchemaError(error)}`, hint)
  else if (inside !== undefined) {
    // A pattern has no flags.
    own[key] = flags === 'i' ? '' : inside
    const counts = flags === 'i' ? 'is not enforced' : `counts as ${inside}`
    note(at, `pattern ${String(value)} is a literal of JavaScript, and ${counts}`, 'write it without slashes')
  } else if (key === 'pattern') notePattern(at, String(value), findings)
  else if (key === 'format' && typeof value === 'string' && ![...checkedFormats, ...anyStringFormats].includes(value)) {
    const format = checkedFormats.find((each) => lettersOf(each) === lettersOf(value))
    if (format !== undefined) {
      own[key] = format
      return note(at, `format "${value}" counts as ${format}`, `write ${format}`)
    }
    const otherwise = 'add a pattern, or remove the format'
    note(at, `format "${value}" is not enforced`, suggest(value, checkedFormats, otherwise))
  }
}

/** A literal of JavaScript, in which no text would match. */
const literalPattern = /^\/(\^.*\$)\/([gimsuy]*)$/su

/** Returns the property that a required name means, whatever its case and separators, else the name. */
const meantName = (name: unknown, known: readonly string[]): unknown =>
  known.includes(String(name)) ? name : (known.find((each) => lettersOf(each) === lettersOf(String(name))) ?? name)

/** Returns the type or the types that a value means, whatever its case and a wrong letter, and null for `"null"`. Undefined if a name is unknown. */
function meantType(value: unknown): string | readonly string[] | undefined {
  const typeOf = (name: string) => jsonTypes.find((type) => type === name) ?? nearestName(name, jsonTypes, 1)
  const names = [value].flat().map((name) => typeOf(String(name).toLowerCase()))
  const known = names.filter((name) => name !== undefined)
  if (known.length < names.length || known.length === 0) return undefined
  return Array.isArray(value) ? [...new Set(known)] : known[0]
}

/** Notes a pattern that does not compile, or whose validation may be ended before its result is known. */
function notePattern(at: Path, pattern: string, { note }: Findings, target?: 'key' | 'value'): void {
  const text = withUnicodeFlag(pattern)
  if (text === undefined)
    return note(at, `pattern ${pattern} is not enforced`, 'write a pattern that compiles with the u flag', target)
  if (!isSlowPattern(text)) return
  const what = `pattern ${pattern} takes exponential time for some texts; those that take longer than ${patternLimitMs} ms are refused`
  note(at, what, 'write it without a repeated group that contains a repetition or alternatives', target)
}

/** Changes a schema in place so that Ajv compiles it. Removes keywords without effect, and identifiers: references are already resolved. */
function makeSchemaCompilable(own: Record<string, unknown>): void {
  for (const key of [...ignoredKeywords, '$async', '$schema', 'id']) delete own[key]
  if (own['x-read-only'] === true || own['x-readOnly'] === true) own['readOnly'] = true
  if (Array.isArray(own['enum']))
    own['enum'] = [...new Map(own['enum'].map((each: unknown) => [JSON.stringify(each), each])).values()]
  if (Array.isArray(own['enum']) && own['enum'].length === 0) delete own['enum']
  if (!Array.isArray(own['examples'])) delete own['examples']
  if (typeof own['pattern'] === 'string') own['pattern'] = withUnicodeFlag(own['pattern'])
  if (own['pattern'] === undefined) delete own['pattern']
  if (!isObject(own['patternProperties'])) return
  const rewritten = Object.entries(own['patternProperties']).map(([key, item]) => [withUnicodeFlag(key), item] as const)
  own['patternProperties'] = Object.fromEntries(rewritten.filter(([pattern]) => pattern !== undefined))
}
