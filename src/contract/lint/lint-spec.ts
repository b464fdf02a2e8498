/** Lints a spec: Prism ignores what it does not understand, so illegal parts are refused, and others reported. */
import { isObject, type JsonObject, listOf, objectAt, objectOf, setProperty } from '../../documents/object.js'
import { resolveReference, type Segment, toPointer } from '../../documents/pointer.js'
import type { Source } from '../../documents/source.js'
import { nearestName } from '../../nearest-name.js'
import { isData } from '../../spec/spec-keys.js'
import { documentedMethods, operationKeys, operationName } from '../contract.js'
import { parameterNames, shapeOf } from '../path-template.js'
import { Cursor } from '../references.js'
import { isAssertion, isKnownDialect } from '../schemas/keywords.js'
import { assumeBodies } from './assume-bodies.js'
import type { Findings } from './findings.js'
import { countAsEmpty, createFindings, lintFields, rename, suggestField } from './findings.js'
import { lintOperation, lintParameters } from './lint-operation.js'
import { lintAndRewriteSchema, type SchemaWalk } from './lint-schema.js'

/** Lints a spec. @returns The findings, and a copy with schemas rewritten for Ajv, which still has references. */
export function lintSpec(source: Source): Pick<Findings, 'diagnostics' | 'problems'> & { document: unknown } {
  const findings = createFindings(source)
  const document = structuredClone(source.value)
  const top = Cursor.top(document)
  if (lintVersion(top, findings)) {
    const dialect = String(top.at('openapi').value).startsWith('3.0') ? '3.0' : '3.1'
    const misplaced = lintReferences(document, dialect, findings)
    if (findings.problems.length === 0) lintDocument(top, { findings, dialect, seen: new Set() })
    const hint = 'write it in a path item, an operation, a parameter or a response'
    for (const path of misplaced) findings.refuse(path, 'x-double has no effect here', hint, 'key')
  }
  return { problems: findings.problems, diagnostics: findings.diagnostics, document }
}

function lintVersion(top: Cursor, { note, refuse }: Findings): boolean {
  const version = top.at('openapi').value
  if (typeof version === 'string' && /^3\.[012]\.\d+(?:-\S+)?$/u.test(version)) return true
  if (isObject(top.value) && /^3\.[012]$/u.test(String(version))) {
    const meant = `${String(version)}.0`
    note(top.at('openapi'), `OpenAPI version ${JSON.stringify(version)} is read as ${meant}`, `write ${meant}`)
    setProperty(top.value, 'openapi', meant)
    return true
  }
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
  else Reflect.deleteProperty(objectOf(top.value), 'jsonSchemaDialect')
  if (top.at('webhooks').items().length > 0)
    note([...top.path, 'webhooks'], 'webhooks are not sent', 'send them from the test', 'key')
  lintPaths(top, walk)
  assumeBodies(top, walk.findings)
  lintFields('components', top.at('components'), walk.findings)
  for (const schema of top.at('components', 'schemas').items()) lintAndRewriteSchema(schema, walk)
}

function lintPaths(top: Cursor, walk: SchemaWalk): void {
  const { refuse } = walk.findings
  const paths = top.at('paths')
  if (!isObject(paths.value)) {
    const at = paths.value === undefined ? top : paths
    return refuse(at, 'has no `paths`, so no operations', 'add the paths of the service', 'key')
  }
  const ids = new Map<string, Cursor>()
  for (const [path] of paths.children()) {
    // A repeated brace, a parameter as Express has it, and a wildcard.
    const meant = path
      .replaceAll(/([{}])\1/gu, '$1')
      .replaceAll(/\/:(\w+)(?=\/|$)/gu, '/{$1}')
      .replace(/\/\*{1,2}(?=\/|$)/u, '/{wildcard}')
    if (meant === path) continue
    setProperty(paths.value, path, { ...objectOf(paths.at(path).value), ...objectOf(paths.at(meant).value) })
    rename(paths, path, meant, walk.findings)
  }
  joinEqualPaths(paths, walk.findings)
  for (const [path, item] of paths.children()) {
    if (path.startsWith('x-')) continue
    const at = [...paths.path, path]
    if (!path.startsWith('/')) refuse(at, `path "${path}" does not start with a slash`, `write "/${path}"`, 'key')
    lintPathItem(top, path, item, walk, ids)
  }
  if (ids.size === 0 && walk.findings.problems.length === 0)
    refuse(paths, 'has no operations, so nothing would be served', 'document at least one operation', 'key')
}

/**
 * Moves the methods of paths that no request can tell from an earlier one, such as `/orders/{orderId}` from `/orders/{id}`, to that one, with its
 * parameter names: routing, collections, checks and explanations see one path.
 */
function joinEqualPaths(paths: Cursor, { note }: Findings): void {
  const firsts = new Map<string, string>()
  for (const [path, item] of paths.children().filter(([key, { value }]) => key.startsWith('/') && isObject(value))) {
    const first = firsts.get(shapeOf(path)) ?? path
    firsts.set(shapeOf(path), first)
    const methods = operationKeys.filter((method) => item.at(method).value !== undefined)
    // A list that is none is refused in its place.
    const lists = [item, ...methods.map((method) => item.at(method))].map((each) => each.at('parameters').value ?? [])
    if (first === path || !lists.every(Array.isArray)) continue
    const names = new Map(parameterNames(path).map((name, index) => [name, parameterNames(first)[index]]))
    const parametersOf = (holder: Cursor): JsonObject[] =>
      holder
        .at('parameters')
        .items()
        .map(({ value }) => {
          const { in: place, name, ...others } = objectOf(value)
          return { in: place, name: (place === 'path' ? names.get(String(name)) : undefined) ?? name, ...others }
        })
    const keyOf = (parameter: JsonObject): string => ['in', 'name'].map((key) => String(parameter[key])).join(' ')
    const target = objectOf(paths.at(first).value)
    const moved = methods.filter((method) => target[method] === undefined)
    const operations = moved.map((method) => {
      // Those of the operation override those of its path.
      const all = [item, item.at(method)].flatMap(parametersOf).map((each) => [keyOf(each), each] as const)
      return [method, { ...objectOf(item.at(method).value), parameters: [...new Map(all).values()] }] as const
    })
    const own = { ...target, ...objectOf(item.value), parameters: [] }
    const joined = { ...own, ...target, ...Object.fromEntries(operations) }
    setProperty(objectOf(paths.value), first, joined)
    Reflect.deleteProperty(objectOf(paths.value), path)
    const left = methods.filter((method) => !moved.includes(method)).map((method) => method.toUpperCase())
    const effect =
      left.length === 0 ? 'they are joined' : `${left.join(', ')} of it is not served, because the other has it too`
    const what = `path "${path}" is the same as "${first}": only the names of parameters differ; ${effect}`
    note([...paths.path, path], what, 'combine them in one path', 'key')
  }
}

function lintPathItem(top: Cursor, path: string, item: Cursor, walk: SchemaWalk, ids: Map<string, Cursor>): void {
  const { findings } = walk
  if (item.value === null) return countAsEmpty(item, findings)
  if (!isObject(item.value)) return findings.refuse(item, 'is not a path item', 'write an object')
  const unknown = item.children().filter(([key]) => !operationKeys.includes(key) && !key.startsWith('x-'))
  // A field with responses is meant to be an operation. OpenAPI has no CONNECT.
  const isOperation = ([key, { value }]: (typeof unknown)[number]): boolean =>
    key !== 'connect' && isObject(objectOf(value)['responses'])
  for (const [key] of unknown.filter(isOperation)) {
    const meant = nearestName(key, operationKeys, 1)
    if (meant !== undefined && item.at(meant).value === undefined) rename(item, key, meant, findings)
  }
  lintFields('a path item', item, findings)
  for (const { isServed, method, path: inItem } of documentedMethods(item.value)) {
    const operation = inItem.reduce((at, key) => at.at(key), item)
    const key = method.toLowerCase()
    if (inItem.length > 1 && operationKeys.includes(key))
      findings.refuse(operation, `"${method}" has a field of its own in a path item`, `write it as ${key}`, 'key')
    if (!isServed) {
      const hint = 'no action is needed: it is answered with 400, as Node.js refuses it'
      findings.note(operation, `${method} ${path} is not served: Node.js does not know the method`, hint, 'key')
      continue
    }
    if (!lintFields('an operation', operation, findings)) continue
    lintParameters(path, item, operation, walk)
    lintOperation(top, operation, walk)
    const id = operation.at('operationId')
    if (id.value !== undefined && (typeof id.value !== 'string' || id.value === '')) {
      findings.refuse(id, `operationId is ${JSON.stringify(id.value)}`, 'write a name, or remove operationId')
      continue
    }
    const name = operationName(id.value, method, path)
    const other = ids.get(name)
    if (other) {
      const what = `operationId "${name}" is already the id of ${toPointer(other.path)}, and is ignored here`
      findings.note(id.value === undefined ? operation : id, what, 'use a unique operationId for each operation')
      Reflect.deleteProperty(objectOf(operation.value), 'operationId')
    } else ids.set(name, operation)
  }
}

/** Tells whether a place is in a webhook or a callback: of an operation, or of the components. */
const isUnserved = ([root, key, , field]: Path): boolean =>
  root === 'webhooks' || (root === 'paths' && field === 'callbacks') || (root === 'components' && key === 'callbacks')

/**
 * Reports each `$ref` that cannot be resolved within the document, and the keywords next to a `$ref` that have no effect. OpenAPI 3.1 combines
 * keywords with the `$ref` of a schema: such a `$ref` is moved to `allOf`, in place.
 *
 * @returns The paths of each `x-double` outside of path items, operations, parameters and responses.
 */
function lintReferences(root: unknown, dialect: '3.0' | '3.1', { note, refuse }: Findings): readonly Path[] {
  const misplaced: Path[] = []
  const lintReference = (at: Path, reference: unknown, holder: JsonObject): void => {
    if (typeof reference !== 'string')
      refuse(at, '$ref is not a string', 'write a JSON pointer, such as "#/components/schemas/Error"')
    else if (!resolveReference(root, reference)) {
      // What is not served is noted as a whole.
      if (isUnserved(at)) return void Reflect.deleteProperty(holder, '$ref')
      const isAnchor = !/^#(?:\/|$)/u.test(reference)
      const hint = isAnchor
        ? 'write a JSON pointer; anchors are not supported'
        : 'correct the pointer, or add its target'
      const what = `$ref "${reference}" points at nothing`
      const isResponse = at.at(-3) === 'responses'
      const known = Object.keys(objectAt(objectAt(root, 'components'), isResponse ? 'responses' : 'schemas'))
      const [, name] = /^#\/(?:components\/)?(?:schemas|responses|definitions)\/([^/]+)$/u.exec(reference) ?? []
      // A name near that of another is a mistake.
      if (
        name === undefined ||
        reference.includes('/responses/') !== isResponse ||
        suggestField(name, known) !== undefined
      )
        return refuse(at, what, hint)
      note(at, `${what}, so any ${isResponse ? 'body' : 'value'} is valid`, hint)
      Reflect.deleteProperty(holder, '$ref')
      if (isResponse) Object.assign(holder, { description: '' })
    } else if (isCircular(root, reference)) refuse(at, `$ref "${reference}" refers to itself`, 'refer to a value')
  }
  const lintSiblings = (path: Path, value: JsonObject): void => {
    // A path item may have other fields next to its `$ref`.
    if (path.length === 2 && (path[0] === 'paths' || path[0] === 'webhooks')) return
    // The document is a copy, so it may be changed.
    const own: Record<string, unknown> = value
    const isSchema = !/^#\/components\/(?!schemas\/)/u.test(String(own['$ref']))
    const others = Object.keys(own).filter((key) => isAssertion(key) || /^(?:nullable|readOnly|writeOnly)$/u.test(key))
    if (others.length === 0) return
    if (isSchema && dialect === '3.1') {
      if (!others.some((key) => isAssertion(key) || key === 'nullable')) return
      own['allOf'] = [...listOf(own['allOf']), { $ref: own['$ref'] }]
      delete own['$ref']
      return
    }
    const isMark = (key: string): boolean => isSchema && /^(?:read|write)Only$/u.test(key)
    const noteAll = (keys: readonly string[], what: string): void => {
      const [first] = keys
      if (first !== undefined) note([...path, first], `${keys.join(', ')} next to $ref ${what}`, 'use allOf', 'key')
    }
    const lost = others.filter((key) => !isMark(key))
    noteAll(others.filter(isMark), 'counts as in OpenAPI 3.1')
    noteAll(lost, 'is not enforced, as OpenAPI requires')
    for (const key of lost) delete own[key]
  }
  visitObjects([], root, (path, value) => {
    if (path.at(-1) === 'properties') return
    if (Object.hasOwn(value, 'x-double') && !overridePlaces.test(toPointer(path))) misplaced.push([...path, 'x-double'])
    if (value['$ref'] === undefined) return
    lintReference([...path, '$ref'], value['$ref'], value)
    if (value['$ref'] !== undefined) lintSiblings(path, value)
  })
  return misplaced
}

type Path = readonly Segment[]

/** Visits each object of a spec, except those in data, before the objects inside it. */
function visitObjects(path: Path, value: unknown, visit: (path: Path, object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) visitObjects([...path, index], item, visit)
  if (!isObject(value)) return
  visit(path, value)
  for (const [key, child] of Object.entries(value))
    if (!isData(key, path, child)) visitObjects([...path, key], child, visit)
}

function isCircular(root: unknown, reference: string): boolean {
  const seen = new Set<unknown>()
  let next: unknown = reference
  while (typeof next === 'string') {
    if (seen.has(next)) return true
    seen.add(next)
    next = objectOf(resolveReference(root, next)?.value)['$ref']
  }
  return false
}

/** The places of `x-double`, as pointers whose names have no slash. */
const overridePlaces = new RegExp(
  String.raw`^#/(?:components/(?:parameters|responses)/[^/]*|(?:paths|components/pathItems)/[^/]*` +
    String.raw`(?:/(?:additionalOperations(?:/[^/]*)?|${operationKeys.join('|')}))?(?:/(?:parameters|responses)/[^/]*)?)$`,
  'u',
)
