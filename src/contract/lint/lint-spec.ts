/**
 * Vets a spec before Prism sees it, and sorts what it finds in two classes.
 *
 * Prism starts with nearly anything and then silently checks nothing of what it did not understand. So what is illegal is refused, and
 * what is legal but not enforced is said.
 */
import { isObject } from '../../documents/object.js'
import { toPointer } from '../../documents/pointer.js'
import type { Problem } from '../../documents/problem.js'
import type { Source } from '../../documents/source.js'
import { nearestName } from '../../nearest-name.js'
import { documentableMethods, operationName } from '../contract.js'
import { Cursor } from '../references.js'
import type { Findings } from './findings.js'
import { createFindings } from './findings.js'
import { lintContent } from './lint-content.js'
import { itemsOf, lintFields } from './lint-fields.js'
import { lintParameters } from './lint-parameters.js'
import { lintReferences } from './lint-references.js'
import type { SchemaWalk } from './lint-schema.js'
import { isKnownDialect, lintSchema } from './lint-schema.js'
import { lintSecurity } from './lint-security.js'

/** What became of a spec that was vetted. */
export interface LintResult {
  /** What stands in the way of serving it. Empty for a spec that can be served. */
  readonly problems: readonly Problem[]
  /** What it says and the double does not enforce. */
  readonly diagnostics: readonly Problem[]
  /** The spec with its schemas rewritten for Ajv. References are still in it. */
  readonly document: unknown
}

/** Vets a spec. */
export function lintSpec(source: Source): LintResult {
  const findings = createFindings(source)
  const document = structuredClone(source.value)
  const top = Cursor.top(document)
  if (vetVersion(top, findings)) {
    const dialect = String(top.at('openapi').value).startsWith('3.0') ? '3.0' : '3.1'
    lintReferences(document, dialect, findings)
    if (findings.problems.length === 0) vetDocument(top, { findings, dialect, seen: new Set() })
  }
  return { problems: findings.problems, diagnostics: findings.diagnostics, document }
}

function vetVersion(top: Cursor, { refuse }: Findings): boolean {
  const version = top.at('openapi').value
  if (typeof version === 'string' && /^3\.[01]\.\d+(?:-\S+)?$/u.test(version)) return true
  const hint = 'use OpenAPI 3.1 (or 3.0), with `openapi: 3.1.0` at the top'
  if (!isObject(top.value)) refuse(top, 'is not an OpenAPI document', hint)
  else if (version !== undefined)
    refuse(top.at('openapi'), `OpenAPI version ${JSON.stringify(version)} is not one that is checked`, hint)
  else if (top.at('swagger').value !== undefined) refuse(top.at('swagger'), 'is Swagger 2, not OpenAPI 3', hint)
  else refuse(top, 'is not an OpenAPI document: it has no `openapi`', hint)
  return false
}

function vetDocument(top: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  lintFields('an OpenAPI document', top, walk.findings)
  const dialect = top.at('jsonSchemaDialect')
  if (dialect.value !== undefined && !isKnownDialect(dialect.value))
    refuse(dialect, `jsonSchemaDialect ${JSON.stringify(dialect.value)} is not known`, 'use that of OpenAPI 3.1')
  else delete (top.value as Record<string, unknown>)['jsonSchemaDialect']
  if (top.at('webhooks').children().length > 0) {
    note([...top.path, 'webhooks'], 'webhooks are not sent', 'send them by other means', 'key')
  }
  vetPaths(top, walk)
  const components = top.at('components')
  lintFields('components', components, walk.findings)
  for (const [, schema] of components.at('schemas').children()) lintSchema(schema, walk)
}

function vetPaths(top: Cursor, walk: SchemaWalk): void {
  const { refuse } = walk.findings
  const paths = top.at('paths')
  if (!isObject(paths.value)) {
    const at = paths.value === undefined ? top : paths
    refuse(at, 'has no `paths`, so no operations', 'add the paths that the service has', 'key')
    return
  }
  const ids = new Map<string, Cursor>()
  const templates = new Map<string, string>()
  for (const [path, item] of paths.children()) {
    if (path.startsWith('x-')) continue
    if (!path.startsWith('/')) {
      const meant = `write it as "/${path}"`
      refuse([...paths.path, path], `path "${path}" does not start with a slash`, meant, 'key')
    }
    const template = path.replaceAll(/\{[^}]*\}/gu, '{}')
    const other = templates.get(template)
    if (other !== undefined) {
      const what = `path "${path}" is the same as "${other}": only the names of parameters differ`
      refuse([...paths.path, path], what, 'let the two be one path', 'key')
    }
    templates.set(template, path)
    vetPathItem(top, path, item, walk, ids)
  }
  if (ids.size === 0 && walk.findings.problems.length === 0)
    refuse(paths, 'has no operations, so nothing would be served', 'document at least one method of one path', 'key')
}

const methods: readonly string[] = documentableMethods.map((method) => method.toLowerCase())

function vetPathItem(top: Cursor, path: string, item: Cursor, walk: SchemaWalk, ids: Map<string, Cursor>): void {
  const { findings } = walk
  if (!isObject(item.value)) {
    findings.refuse(item, 'is not a path item', 'write an object')
    return
  }
  const known = item.children().filter(([key, { value }]) => {
    // What has responses was meant to be an operation.
    const isMethod = isObject(value) && isObject(value['responses'])
    if (!isMethod || methods.includes(key) || key.startsWith('x-')) return true
    const meant = nearestName(key.toLowerCase(), methods)
    const hint = meant === undefined ? `use one of ${methods.join(', ')}` : `did you mean "${meant}"?`
    findings.refuse([...item.path, key], `"${key}" is not a method`, hint, 'key')
    return false
  })
  if (known.length === item.children().length) lintFields('a path item', item, findings)
  for (const [key, operation] of known) {
    if (!methods.includes(key)) continue
    if (!lintFields('an operation', operation, findings)) continue
    vetOperation(top, operation, walk)
    lintParameters(path, item, operation, walk)
    vetOperationId(ids, path, key, operation, findings)
  }
}

function vetOperationId(
  ids: Map<string, Cursor>,
  path: string,
  method: string,
  operation: Cursor,
  { refuse }: Findings,
): void {
  const id = operation.at('operationId')
  if (id.value !== undefined && (typeof id.value !== 'string' || id.value === '')) {
    refuse(id, `operationId is ${JSON.stringify(id.value)}`, 'write a name, or leave it out')
    return
  }
  const name = operationName(id.value, method, path)
  const other = ids.get(name)
  if (other) {
    const at = id.value === undefined ? operation : id
    refuse(at, `operationId "${name}" is taken by ${toPointer(other.path)}`, 'give each operation a name of its own')
  }
  ids.set(name, operation)
}

function vetOperation(top: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { note, refuse } = walk.findings
  const responses = operation.at('responses')
  const statuses = responses.children().filter(([status]) => !status.startsWith('x-'))
  if (responses.value === undefined && walk.dialect === '3.1')
    note(operation, 'documents no responses, so none is checked', 'document each status it answers with', 'key')
  else if (statuses.length === 0)
    refuse(operation, 'documents no responses', 'document each status it answers with', 'key')
  for (const [status, response] of statuses) {
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/u.test(status)) {
      const hint = nearestName(status, ['default']) ?? (/^[1-5]xx$/iu.test(status) ? status.toUpperCase() : undefined)
      const at = [...responses.path, status]
      refuse(
        at,
        `"${status}" is not a status`,
        `use ${hint ?? 'three digits, such as "200", or 4XX or default'}`,
        'key',
      )
    }
    if (!lintFields('a response', response, walk.findings)) continue
    lintContent(response.at('content'), walk)
    if (/^(?:204|205|304)$/u.test(status) && response.at('content').children().length > 0)
      note(response.at('content'), `a ${status} has no body, so its content is not sent`, 'take it out', 'key')
    if (response.at('links').children().length > 0)
      note([...response.path, 'links'], 'links are not followed or checked', 'nothing has to be done', 'key')
    for (const [, header] of response.at('headers').children()) {
      if (!lintFields('a header', header, walk.findings)) continue
      if (header.at('schema').value !== undefined) lintSchema(header.at('schema'), walk)
      else note(header, 'has no schema, so any value passes', 'add one, such as schema: {type: string}', 'key')
    }
  }
  const hasSuccess = statuses.length === 0 || statuses.some(([status]) => /^(?:2(?:\d\d|XX)|default)$/u.test(status))
  if (!hasSuccess) {
    const what = 'documents no 2xx status, so 204 is sent'
    note(responses, what, 'document the status that success is answered with', 'key')
  }
  const body = operation.at('requestBody')
  if (lintFields('a request body', body, walk.findings)) {
    if (body.at('content').value === undefined) refuse(body, 'has no content', 'add the media types it may have', 'key')
    else if (body.at('content').children().length === 0)
      note(body.at('content'), 'has no media type, so every body is refused', 'add the media types it may have', 'key')
    lintContent(body.at('content'), walk)
  }
  if (operation.at('callbacks').children().length > 0)
    note([...operation.path, 'callbacks'], 'callbacks are not sent', 'send them by other means', 'key')
  itemsOf(operation.at('security'), walk.findings)
  lintSecurity(top, operation, walk.findings)
}
