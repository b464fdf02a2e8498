/**
 * Lints a spec before Prism reads it.
 *
 * Prism accepts invalid specs, and silently ignores the parts that it does not understand. So illegal parts are refused, and legal parts that
 * are not enforced are reported.
 */
import { isObject } from '../../documents/object.js'
import type { Problem } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { Cursor } from '../references.js'
import { isKnownDialect } from '../schemas/keywords.js'
import { createFindings, type Findings, lintFields } from './findings.js'
import { lintPaths } from './lint-paths.js'
import { lintOverridePlaces, lintReferences } from './lint-references.js'
import { lintAndRewriteSchema, type SchemaWalk } from './lint-schema.js'

interface LintResult {
  /** The reasons to refuse the spec. Empty if it can be served. */
  readonly problems: readonly Problem[]
  readonly diagnostics: readonly Problem[]
  /** The spec with schemas rewritten for Ajv. It still has references. */
  readonly document: unknown
}

/** Lints a spec, and rewrites its schemas in a copy. */
export function lintSpec(source: Source): LintResult {
  const findings = createFindings(source)
  const document = structuredClone(source.value)
  const top = Cursor.top(document)
  if (lintVersion(top, findings)) {
    const dialect = String(top.at('openapi').value).startsWith('3.0') ? '3.0' : '3.1'
    lintReferences(document, dialect, findings)
    if (findings.problems.length === 0) lintDocument(top, { findings, dialect, seen: new Set() })
    // Most specs have none, and a walk through a large one takes long.
    if (source.mentions('x-double')) lintOverridePlaces(document, findings)
  }
  return { problems: findings.problems, diagnostics: findings.diagnostics, document }
}

function lintVersion(top: Cursor, { refuse }: Findings): boolean {
  const version = top.at('openapi').value
  if (typeof version === 'string' && /^3\.[012]\.\d+(?:-\S+)?$/u.test(version)) return true
  const hint = 'use OpenAPI 3.0 to 3.2 or Swagger 2.0, with `openapi: 3.1.0` at the top'
  if (!isObject(top.value)) refuse(top, 'is not an OpenAPI document', hint)
  else if (version !== undefined)
    refuse(top.at('openapi'), `OpenAPI version ${JSON.stringify(version)} is not supported`, hint)
  else if (top.at('swagger').value !== undefined)
    refuse(top.at('swagger'), `Swagger version ${JSON.stringify(top.at('swagger').value)} is not supported`, hint)
  else refuse(top, 'is not an OpenAPI document: it has no `openapi`', hint)
  return false
}

function lintDocument(top: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  lintFields('an OpenAPI document', top, walk.findings)
  const dialect = top.at('jsonSchemaDialect')
  const hint = 'remove it, or use https://spec.openapis.org/oas/3.1/dialect/base'
  if (dialect.value !== undefined && !isKnownDialect(dialect.value))
    refuse(dialect, `jsonSchemaDialect ${JSON.stringify(dialect.value)} is not known`, hint)
  else delete (top.value as Record<string, unknown>)['jsonSchemaDialect']
  if (top.at('webhooks').children().length > 0)
    note([...top.path, 'webhooks'], 'webhooks are not sent', 'send them from the test', 'key')
  lintPaths(top, walk)
  const components = top.at('components')
  lintFields('components', components, walk.findings)
  for (const [, schema] of components.at('schemas').children()) lintAndRewriteSchema(schema, walk)
}
