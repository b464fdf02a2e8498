/**
 * Refuses a spec that Prism would not really check.
 *
 * Prism starts with nearly anything and then silently checks nothing of what it did not understand. So everything here that is not
 * plainly understood is a problem: better a start that fails with the place than a double that lets things pass.
 */
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import { toPointer } from '../documents/pointer.js'
import type { Problem } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { documentableMethods } from './contract.js'
import { Cursor, isData, lookUp } from './refs.js'
import type { SchemaWalk } from './vet-schema.js'
import { vetSchema } from './vet-schema.js'

/** Reports a problem at a place of the spec. */
export type Report = (at: Cursor | readonly Segment[], what: string, remedy: string, point?: 'key' | 'value') => void

const pathItemKeys: ReadonlySet<string> = new Set(
  [
    documentableMethods.map((method) => method.toLowerCase()),
    'parameters',
    'summary',
    'description',
    'servers',
    '$ref',
  ].flat(),
)

/**
 * Lists everything in a spec that stands in the way of checking it.
 *
 * @returns Empty for a spec that can be trusted.
 */
export function vetSpec(source: Source): Problem[] {
  const problems: Problem[] = []
  const report: Report = (at, what, remedy, point = 'value') => {
    const path = at instanceof Cursor ? at.path : at
    const known = problems.some((problem) => problem.what === what && toPointer(problem.path ?? []) === toPointer(path))
    if (!known) problems.push({ file: source.file, position: source.locate(path, point), path, what, remedy })
  }
  const top = Cursor.top(source.value)
  if (vetVersion(top, report)) {
    vetReferences(source.value, [], source.value, report)
    const dialect = String(top.at('openapi').value).startsWith('3.0') ? '3.0' : '3.1'
    if (problems.length === 0) vetPaths(top, { report, dialect, seen: new Set() })
  }
  return problems
}

function vetVersion(top: Cursor, report: Report): boolean {
  const version = top.at('openapi').value
  if (typeof version === 'string' && /^3\.[01]\.\d+$/u.test(version)) return true
  const remedy = 'use OpenAPI 3.1 (or 3.0), with `openapi: 3.1.0` at the top'
  if (!isObject(top.value)) report(top, 'is not an OpenAPI document', remedy)
  else if (version !== undefined)
    report(top.at('openapi'), `OpenAPI version ${JSON.stringify(version)} is not one that is checked`, remedy)
  else if (top.at('swagger').value !== undefined) report(top.at('swagger'), 'is Swagger 2, not OpenAPI 3', remedy)
  else report(top, 'is not an OpenAPI document: it has no `openapi`', remedy)
  return false
}

function vetReferences(root: unknown, path: readonly Segment[], value: unknown, report: Report): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) vetReferences(root, [...path, index], item, report)
  if (!isObject(value)) return
  const reference = value['$ref']
  if (reference !== undefined && path.at(-1) !== 'properties') {
    const at = [...path, '$ref']
    if (typeof reference !== 'string')
      report(at, '$ref is not a string', 'name a place in this document, such as "#/components/schemas/Error"')
    else if (!reference.startsWith('#')) {
      report(
        at,
        `$ref "${reference}" points outside of this document`,
        'bundle the spec into one file; nothing else is read',
      )
    } else if (!lookUp(root, reference))
      report(at, `$ref "${reference}" points at nothing`, 'mend the pointer or add what it names')
    else if (circular(root, reference))
      report(at, `$ref "${reference}" leads back to itself`, 'let it name what is meant')
  }
  for (const [key, child] of Object.entries(value))
    if (!isData(key, path)) vetReferences(root, [...path, key], child, report)
}

function circular(root: unknown, reference: string): boolean {
  const seen = new Set<unknown>()
  let next: unknown = reference
  while (typeof next === 'string') {
    if (seen.has(next)) return true
    seen.add(next)
    const target: unknown = lookUp(root, next)?.value
    next = isObject(target) ? target['$ref'] : undefined
  }
  return false
}

function vetPaths(top: Cursor, walk: SchemaWalk): void {
  const { report } = walk
  const paths = top.at('paths')
  if (!isObject(paths.value)) {
    report(
      top.at('paths').value === undefined ? top : paths,
      'has no `paths`, so no operations',
      'add the paths that the service has',
      'key',
    )
    return
  }
  const ids = new Map<string, Cursor>()
  let operations = 0
  for (const [path, item] of paths.children()) {
    if (path.startsWith('x-')) continue
    if (!path.startsWith('/'))
      report(item, `path "${path}" does not start with a slash`, `write it as "/${path}"`, 'key')
    for (const [key, operation] of item.children()) {
      if (key.startsWith('x-') || (pathItemKeys.has(key) && !isMethod(key))) continue
      if (!isMethod(key)) {
        report(
          operation,
          `"${key}" is not a method`,
          `use one of ${documentableMethods.join(', ').toLowerCase()}`,
          'key',
        )
        continue
      }
      operations++
      vetOperation(top, operation, walk)
      vetParameters(path, item, operation, walk)
      vetOperationId(ids, operation, report)
    }
  }
  if (operations === 0)
    report(paths, 'has no operations, so nothing would be served', 'document at least one method of one path', 'key')
  for (const [, schema] of top.at('components').at('schemas').children()) vetSchema(schema, walk)
}

const isMethod = (key: string): boolean => documentableMethods.some((method) => method.toLowerCase() === key)

function vetOperationId(ids: Map<string, Cursor>, operation: Cursor, report: Report): void {
  const id = operation.at('operationId')
  if (typeof id.value !== 'string' || id.value === '') {
    report(
      operation,
      'has no operationId',
      'name the operation; handlers, faults and the journal go by its name',
      'key',
    )
    return
  }
  const other = ids.get(id.value)
  if (other)
    report(
      id,
      `operationId "${id.value}" is taken by ${toPointer(other.path)}`,
      'give each operation a name of its own',
    )
  ids.set(id.value, operation)
}

function vetOperation(top: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { report } = walk
  const replies = operation.at('responses')
  const statuses = replies.children().filter(([status]) => !status.startsWith('x-'))
  if (statuses.length === 0)
    report(
      operation,
      'documents no responses, so no reply could be checked',
      'document each status it answers with',
      'key',
    )
  for (const [status, reply] of statuses) {
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/u.test(status)) {
      report(reply, `"${status}" is not a status`, 'use three digits, such as "200", or 4XX or default', 'key')
    }
    vetContent(reply.at('content'), walk)
    for (const [, header] of reply.at('headers').children()) vetSchema(header.at('schema'), walk)
  }
  if (statuses.length > 0 && !statuses.some(([status]) => /^2(?:\d\d|XX)$/u.test(status))) {
    report(
      replies,
      'documents no 2xx status, so success has none',
      'document the status that success is answered with',
      'key',
    )
  }
  vetContent(operation.at('requestBody').at('content'), walk)
  if (
    operation.at('requestBody').value !== undefined &&
    operation.at('requestBody').at('content').children().length === 0
  ) {
    report(
      operation.at('requestBody'),
      'has no content, so no body could be checked',
      'add the media types it may have',
      'key',
    )
  }
  vetSecurity(top, operation, report)
}

function vetContent(content: Cursor, walk: SchemaWalk): void {
  const { report } = walk
  for (const [mediaType, media] of content.children()) {
    if (
      !/^(?:[\w!#$&^.+-]+\/[\w!#$&^.+*-]+|\*\/\*)(?: *; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"]*"))*$/u.test(mediaType)
    ) {
      report(media, `"${mediaType}" is not a media type`, 'write it as type/subtype, such as application/json', 'key')
    }
    if (media.at('schema').value === undefined) {
      report(media, 'has no schema, so any body would pass', 'add one; `schema: {}` allows anything and says so', 'key')
    } else vetSchema(media.at('schema'), walk)
  }
}

function vetSecurity(top: Cursor, operation: Cursor, report: Report): void {
  const own = operation.at('security')
  const requirements = own.value === undefined ? top.at('security') : own
  for (const [, requirement] of requirements.children()) {
    for (const [name, place] of requirement.children()) {
      const scheme = top.at('components').at('securitySchemes').at(name)
      if (scheme.value === undefined) {
        report(place, `security scheme "${name}" is not defined`, 'define it under components.securitySchemes', 'key')
      } else if (scheme.at('type').value !== 'http' || String(scheme.at('scheme').value).toLowerCase() !== 'bearer') {
        report(
          scheme,
          `security scheme "${name}" is not HTTP bearer, the only kind that is checked`,
          'use `type: http` and `scheme: bearer`',
        )
      }
    }
  }
}

function vetParameters(path: string, item: Cursor, operation: Cursor, walk: SchemaWalk): void {
  const { report } = walk
  const inTemplate = [...path.matchAll(/\{([^}]*)\}/gu)].map(([, name]) => name)
  if (path.startsWith('/') && !/^(?:\/(?:\{[^{}]+\}|[\w!$&'(),.:;=@~%+-]*))*$/u.test(path)) {
    report(
      item,
      `path "${path}" has a segment that is neither plain text nor one {parameter}`,
      'let each segment be one or the other',
      'key',
    )
  }
  const declared = new Set<unknown>()
  for (const [, parameter] of [...item.at('parameters').children(), ...operation.at('parameters').children()]) {
    const name = parameter.at('name').value
    const place = parameter.at('in').value
    if (typeof name !== 'string' || name === '') report(parameter, 'has no name', 'name the parameter')
    if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
      report(parameter, `\`in\` is ${JSON.stringify(place)}`, 'use path, query, header or cookie')
    }
    if (place === 'path') {
      declared.add(name)
      if (!inTemplate.includes(String(name)))
        report(parameter, `path "${path}" has no {${String(name)}}`, 'name a parameter of the path')
      if (parameter.at('required').value !== true)
        report(parameter, 'a path parameter is always required', 'add `required: true`')
    }
    if (parameter.at('content').children().length > 0) vetContent(parameter.at('content'), walk)
    else if (parameter.at('schema').value === undefined) {
      report(parameter, 'has no schema, so any value would pass', 'add one, such as `schema: {type: string}`')
    } else vetSchema(parameter.at('schema'), walk)
  }
  for (const name of inTemplate) {
    if (!declared.has(name))
      report(operation, `path parameter "${name}" is not declared`, 'add it to parameters, with `in: path`', 'key')
  }
}
