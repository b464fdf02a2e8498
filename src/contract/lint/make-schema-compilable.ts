/** Changes a schema so that Ajv compiles it. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import type { Cursor } from '../references.js'
import { patternError, withUnicodeFlag } from '../schemas/unicode-patterns.js'
import type { Findings } from './findings.js'
import { ignoredKeywords, patternHint } from './schema-keywords.js'

/**
 * Changes a schema in place so that Ajv compiles it. Removes identifiers, because references are already resolved, and keywords that
 * have no effect.
 */
export function makeSchemaCompilable(schema: Cursor, value: JsonObject, findings: Findings): void {
  // The document is a copy, so it may be changed.
  const own = value as Record<string, unknown>
  for (const key of [...ignoredKeywords, '$async', '$schema', 'id']) delete own[key]
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
    if (error !== undefined) findings.refuse(at, `pattern "${pattern}" is invalid: ${error}`, patternHint, 'key')
    else if (text === undefined)
      findings.note(at, `pattern ${pattern} is not enforced`, 'write a pattern that compiles with the u flag', 'key')
    return text === undefined ? [] : [[text, item] as const]
  })
  own['patternProperties'] = Object.fromEntries(rewritten)
}

const uniqueValues = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
