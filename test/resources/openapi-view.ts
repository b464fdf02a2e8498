/** A small view of an OpenAPI object for tests of the engine: local references, Ajv, examples. No Prism, no files. */
import { Ajv } from 'ajv'

import type { ContractView, ValidationError, ViewOperation } from '#src/resources/contract-view.js'
import type { SecurityScheme } from '#src/resources/security-scheme.js'

import { isDateTime } from '../helpers/date-time.js'

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodeAt = (value: unknown, key: string): Node => {
  const inner = isNode(value) ? value[key] : undefined
  return isNode(inner) ? inner : {}
}
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Creates the view of an OpenAPI object. */
export function viewOf(document: unknown): ContractView {
  const root = dereference(document)
  const schemas = nodeAt(nodeAt(root, 'components'), 'schemas')
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]))
  const schemes = Object.entries(nodeAt(nodeAt(root, 'components'), 'securitySchemes'))
  const security = nodeAt({ root }, 'root')['security']
  const operations = Object.entries(nodeAt(root, 'paths')).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isNode(item) ? item[method] : undefined
      return isNode(operation) ? [readOperation(path, method, item as Node, operation, security)] : []
    }),
  )
  const located = operations.map((operation, index) => ({ ...operation, line: index + 1 }))
  const check = createChecker()
  return {
    operations: located,
    securitySchemes: new Map(schemes.map(([name]) => [name, bearer(name)])),
    schemaName: (schema) => names.get(schema),
    validate: check,
    generate: (schema) => [sample(schema)].find((value) => check(schema, value).length === 0),
    example: (operation, status) => {
      const [content] = operation.responses.find((response) => response.status === status)?.content.entries() ?? []
      const media = content && examples.get(content[1])
      return content && (media === undefined ? sample(content[1]) : media)
    },
  }
}

const bearer = (name: string): SecurityScheme => ({
  name,
  kind: 'bearer',
  in: 'header',
  parameter: 'Authorization',
  prefix: 'Bearer',
})

/** The examples of media types, by schema. Two media types with one schema share them, which is enough here. */
const examples = new WeakMap<object, unknown>()

function readOperation(
  path: string,
  method: string,
  item: Node,
  operation: Node,
  rootSecurity: unknown,
): ViewOperation {
  const listed = [item['parameters'], operation['parameters']].flatMap((list) => (Array.isArray(list) ? list : []))
  const security = operation['security'] ?? rootSecurity
  const body = operation['requestBody']
  const contentOf = (holder: unknown): Map<string, Node> =>
    new Map(Object.entries(nodeAt(holder, 'content')).map(([type, media]) => [type, nodeAt(media, 'schema')]))
  for (const response of Object.values(nodeAt(operation, 'responses')))
    for (const media of Object.values(nodeAt(response, 'content'))) keepExample(media)
  return {
    id: typeof operation['operationId'] === 'string' ? operation['operationId'] : `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    line: 0,
    secured: Array.isArray(security) && security.length > 0,
    security: (Array.isArray(security) ? (security as Node[]) : []).map((names) => Object.keys(names).map(bearer)),
    scopes: [],
    parameters: (listed as Node[]).map((parameter) => ({
      name: String(parameter['name']),
      in: parameter['in'] as 'path',
      required: parameter['required'] === true,
      schema: nodeAt(parameter, 'schema'),
    })),
    requestBody: isNode(body) ? { required: body['required'] === true, content: contentOf(body) } : undefined,
    responses: Object.entries(nodeAt(operation, 'responses')).map(([status, response]) => ({
      status,
      content: contentOf(response),
      headers: Object.keys(nodeAt(response, 'headers')).map((name) => name.toLowerCase()),
      requiredHeaders: {},
    })),
  }
}

function keepExample(media: unknown): void {
  if (!isNode(media) || !isNode(media['schema'])) return
  const [named] = Object.values(nodeAt(media, 'examples'))
  const value = media['example'] ?? (isNode(named) ? named['value'] : undefined)
  if (value !== undefined) examples.set(media['schema'], value)
}

/** Returns the value of a mocked response, from a schema. */
function sample(schema: Node): unknown {
  for (const key of ['example', 'default', 'const']) if (schema[key] !== undefined) return schema[key]
  for (const key of ['examples', 'enum']) if (Array.isArray(schema[key])) return (schema[key] as unknown[])[0]
  const types = new Set([schema['type']].flat())
  if (types.has('null') || schema['nullable'] === true) return null
  if (types.has('array')) return []
  if (types.has('object'))
    return Object.fromEntries(
      Object.entries(nodeAt(schema, 'properties')).map(([name, inner]) => [name, sample(inner as Node)]),
    )
  if (types.has('integer') || types.has('number')) return 0
  return types.has('boolean') ? true : 'string'
}

function createChecker(): ContractView['validate'] {
  const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false })
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('uuid', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu)
  const checks = new Map<object, ReturnType<Ajv['compile']>>()
  return (schema, value) => {
    const check = checks.get(schema) ?? ajv.compile(withoutCycles(schema))
    checks.set(schema, check)
    return check(value)
      ? []
      : (check.errors ?? []).map((error): ValidationError => ({
          path: error.instancePath
            .split('/')
            .slice(1)
            .map((part) => (/^\d+$/u.test(part) ? Number(part) : part)),
          message: error.message ?? 'does not fit',
        }))
  }
}

function withoutCycles(schema: object): Node {
  const names = new Map<object, string>()
  const definitions: Record<string, unknown> = {}
  const open = new Set<object>()
  const write = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write)
    if (!isNode(value)) return value
    const known = names.get(value)
    if (known !== undefined || open.has(value)) {
      const name = known ?? `d${names.size}`
      names.set(value, name)
      return { $ref: `#/$defs/${name}` }
    }
    open.add(value)
    const written = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, write(inner)]))
    open.delete(value)
    const name = names.get(value)
    if (name === undefined) return written
    definitions[name] = written
    return { $ref: `#/$defs/${name}` }
  }
  const top = write(schema)
  return { ...(top as Node), $defs: definitions }
}

/** Resolves local references. Equal references become the same object, and recursive ones a cycle. */
function dereference(root: unknown): unknown {
  const copies = new Map<unknown, unknown>()
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (copies.has(value)) return copies.get(value)
    if (Array.isArray(value)) return value.map(copy)
    const node = value as Node
    if (typeof node['$ref'] === 'string') return copy(lookUp(root, node['$ref']))
    const into: Record<string, unknown> = {}
    copies.set(value, into)
    for (const [key, inner] of Object.entries(node))
      Object.defineProperty(into, key, { value: copy(inner), enumerable: true, configurable: true, writable: true })
    return into
  }
  return copy(root)
}

const lookUp = (root: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => nodeAt({ at }, 'at')[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
