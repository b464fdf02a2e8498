/** Creates the view of a contract that the resource engine uses. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Source } from '../documents/source.js'
import type {
  ContractView,
  ValidationError,
  ViewOperation,
  ViewOverride,
  ViewParameter,
} from '../resources/contract-view.js'
import { describeDateTimes } from './check-response.js'
import type { Operation } from './contract.js'
import { examplesAt } from './find-examples.js'
import { generateMinimalValue } from './generate-minimal-value.js'
import type { ValueCheck } from './prism.js'
import { createValueCheck } from './prism.js'
import { readSecuritySchemes } from './read-security.js'
import { Cursor } from './references.js'

/** The sources of a view. */
export interface ViewSource {
  /** The dereferenced spec. */
  readonly document: JsonObject
  /** The spec with its references. */
  readonly referring: unknown
  readonly operations: readonly Operation[]
  readonly locate: Source['locate']
  /** As `ContractView` has it, by operation name. */
  readonly example: (operation: string, status: string) => unknown
}

/** Makes the view. Nothing is compiled until a value is checked. */
export function createContractView({ document, example, locate, operations, referring }: ViewSource): ContractView {
  const names = new Map(
    Object.entries(nodeAt(nodeAt(document, 'components'), 'schemas')).map(([name, at]) => [at, name]),
  )
  const checks = new WeakMap<JsonObject, ValueCheck>()
  const checkOf = (schema: JsonObject): ValueCheck => {
    const check = checks.get(schema) ?? createValueCheck(carrierOf(schema, document['openapi']))
    checks.set(schema, check)
    return check
  }
  const validate: ContractView['validate'] = (schema, value) => toValidationErrors(checkOf(schema)(value))
  return {
    operations: operations.map((operation) => viewOperation(document, Cursor.top(referring), operation, locate)),
    securitySchemes: readSecuritySchemes(document),
    schemaName: (schema) => names.get(schema),
    validate,
    generate: (schema) => {
      const value = generateMinimalValue(document, schema)
      return validate(schema, value).length === 0 ? value : undefined
    },
    example: ({ id }, status) => example(id, status),
  }
}

const nodeAt = (value: unknown, key: string): JsonObject => {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}

/** A document with one response that has a schema. */
function carrierOf(schema: JsonObject, openapi: unknown): JsonObject {
  const content = { 'application/json': { schema } }
  return {
    openapi,
    info: { title: '', version: '' },
    paths: { '/': { get: { responses: { 200: { description: '', content } } } } },
  }
}

function toValidationErrors(violations: ReturnType<ValueCheck>): readonly ValidationError[] {
  if (violations.length === 0) return []
  return describeDateTimes(violations).map(({ location, message }) => ({
    path: location.slice(2).map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~')),
    message: message.replace(/^Response body (?:property )?/u, '').replace(/\.$/u, ''),
  }))
}

function viewOperation(
  document: JsonObject,
  top: Cursor,
  operation: Operation,
  locate: Source['locate'],
): ViewOperation {
  const { id, method, path, scopes, secured, security } = operation
  const itemAt = top.at('paths').at(path)
  const operationAt = itemAt.at(method.toLowerCase())
  const item = nodeAt(nodeAt(document, 'paths'), path)
  const described = nodeAt(item, method.toLowerCase())
  const body = described['requestBody']
  let position: ReturnType<Source['locate']> | undefined
  const find = (): ReturnType<Source['locate']> => (position ??= locate(['paths', path, method.toLowerCase()], 'key'))
  return {
    id,
    method,
    path,
    // Computed on first use, because it takes long in a large JSON file.
    get line() {
      return find().line
    },
    get file() {
      return find().file
    },
    scopes,
    secured,
    security,
    parameters: parametersOf([item, itemAt], [described, operationAt], operation),
    requestBody: isObject(body) ? { required: body['required'] === true, content: contentOf(body) } : undefined,
    responses: Object.entries(nodeAt(described, 'responses'))
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, response]) => ({
        status,
        content: contentOf(response),
        headers: Object.keys(nodeAt(response, 'headers')).map((name) => name.toLowerCase()),
        requiredHeaders: requiredHeadersOf(top, operationAt.at('responses').at(status)),
      })),
    override: overrideOf(operationAt),
    pathOverride: overrideOf(itemAt),
  }
}

/** The values of the required headers of a response. The double creates `Location` and the fields of the body itself. */
function requiredHeadersOf(top: Cursor, response: Cursor): Readonly<Record<string, string>> {
  const headers = response.at('headers').children()
  const required = headers.filter(
    ([name, header]) => header.at('required').value === true && !/^(?:location|content-(?:type|length))$/iu.test(name),
  )
  // An empty field counts as a missing one.
  return Object.fromEntries(
    required.map(([name, header]) => [name.toLowerCase(), headerValue(top, header) || name.toLowerCase()]),
  )
}

function headerValue(top: Cursor, header: Cursor): string {
  const value = examplesAt(header)[0] ?? generateMinimalValue(top.value, header.at('schema').value)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The `x-double` of an object, and its place. */
function overrideOf({ path, value }: Pick<Cursor, 'path' | 'value'>): ViewOverride | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'x-double')) return undefined
  return { value: value['x-double'], path: [...path, 'x-double'] }
}

const contentOf = (holder: unknown): ReadonlyMap<string, JsonObject> =>
  new Map(Object.entries(nodeAt(holder, 'content')).map(([mediaType, media]) => [mediaType, nodeAt(media, 'schema')]))

/** A part of the spec without references, and the same part with them. */
type Part = readonly [JsonObject, Cursor]

/** The parameters that the contract knows, with their schemas as the spec has them. */
function parametersOf(item: Part, described: Part, operation: Operation): readonly ViewParameter[] {
  const listed = [item, described].flatMap(([{ parameters }, at]) =>
    (Array.isArray(parameters) ? (parameters as unknown[]) : []).map((value, index) => ({ value, index, at })),
  )
  return operation.parameters.map(({ in: place, name, required }) => {
    const { at, index, value } =
      listed.findLast((each) => isObject(each.value) && each.value['name'] === name && each.value['in'] === place) ?? {}
    const [media] = Object.values(nodeAt(value, 'content'))
    return {
      name,
      in: place,
      required,
      schema: media === undefined ? nodeAt(value, 'schema') : nodeAt(media, 'schema'),
      override: at && index !== undefined ? parameterOverride(at.at('parameters'), index) : undefined,
    }
  })
}

/** The `x-double` of a parameter: next to its reference, else at the target. */
function parameterOverride(list: Cursor, index: number): ViewOverride | undefined {
  const own: unknown = Array.isArray(list.value) ? list.value[index] : undefined
  return overrideOf({ path: [...list.path, index], value: own }) ?? overrideOf(list.at(index))
}
