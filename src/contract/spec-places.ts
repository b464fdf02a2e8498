/** Finds places in the spec: the node that a probe tests, the rule that a request breaks, their lines and assumptions. */
import { shortPlace } from '../addresses.js'
import { isObject, objectOf } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import type { Contract, Operation } from './contract.js'
import { essenceOf } from './media-types.js'
import { Cursor } from './references.js'
import type { Violation } from './violation.js'

/** A path in the spec that passes no reference. */
export type SpecPath = readonly Segment[]

export const cursorAt = ({ document }: Contract, path: SpecPath): Cursor =>
  path.reduce((cursor: Cursor, segment) => cursor.at(segment), Cursor.top(document))

export const operationCursor = (contract: Contract, { at }: Operation): Cursor => cursorAt(contract, at)

/** Finds the documented response for a status: the status itself, its class or `default`. Undefined: none is documented. */
export function responseCursor(contract: Contract, operation: Operation, status: number): Cursor | undefined {
  const responses = operationCursor(contract, operation).at('responses')
  return [String(status), `${Math.floor(status / 100)}XX`, 'default']
    .map((name) => responses.at(name))
    .find(({ value }) => isObject(value))
}

/** Returns the path of the documented response, else of all responses of the operation. */
export const responsePath = (contract: Contract, operation: Operation, status: number): SpecPath =>
  (responseCursor(contract, operation, status) ?? operationCursor(contract, operation).at('responses')).path

/** Returns the path of the key of a documented response, such as `'204'`. The response itself may be a reference. */
export const responseKeyPath = (contract: Contract, operation: Operation, status: number): SpecPath => [
  ...operationCursor(contract, operation).path,
  'responses',
  String(status),
]

/** Finds a header of a response. Ignores the case of names. */
export const headerCursor = (response: Cursor | undefined, name: string): Cursor | undefined =>
  (response?.at('headers').children() ?? []).find(([key]) => key.toLowerCase() === name)?.[1]

export function bodyCursor(response: Cursor | undefined, mediaType: string): Cursor | undefined {
  const contents = response?.at('content').children() ?? []
  const found = contents.find(([key]) => essenceOf(key) === mediaType) ?? contents[0]
  return found?.[1].at('schema')
}

/** Finds the schema at a path of a value. If there is none, returns the nearest schema around it. */
export function schemaAt(schema: Cursor, [segment, ...rest]: SpecPath): Cursor {
  const child = segment === undefined ? undefined : childOf(schema, segment)
  return child ? schemaAt(child, rest) : schema
}

function childOf(schema: Cursor, segment: Segment): Cursor | undefined {
  const own = [schema.at('properties').at(segment), ...(/^\d+$/u.test(String(segment)) ? [schema.at('items')] : [])]
  const direct = own.find(({ value }) => isObject(value))
  if (direct) return direct
  for (const part of ['allOf', 'oneOf', 'anyOf'].flatMap((name) => schema.at(name).items())) {
    const found = childOf(part, segment)
    if (found) return found
  }
  return undefined
}

/** A request and its response, as far as they select the rules for their parts. */
type Exchange = Readonly<Record<'requestType' | 'responseType', string>> & { readonly status: number }

/** Finds the rule that a violation breaks: a keyword of a schema, else the nearest node that describes the place. @returns Its path, and its schema without the schemas inside. */
export function brokenRuleAt(contract: Contract, operation: Operation, { code, location }: Violation, of: Exchange) {
  const [side = '', part = '', name = ''] = location
  const node = operationCursor(contract, operation)
  const response = responseCursor(contract, operation, of.status)
  const isBody = part === 'body'
  const owners = isBody
    ? { request: node.at('requestBody'), response }
    : { request: parameterCursor(contract, operation, part, name), response: headerCursor(response, name) }
  const owner = side === 'response' ? owners.response : owners.request
  const schema = isBody
    ? bodyCursor(owner, side === 'response' ? of.responseType : of.requestType)
    : owner?.at('schema')
  if (!isObject(schema?.value)) {
    const top = Cursor.top(contract.document)
    const nodes =
      part === 'headers'
        ? [node, top].map((each) => each.at('security'))
        : [...(side === 'response' ? [] : [node.at('parameters')]), node.at('responses')]
    return { path: [owner, ...nodes].find((each) => each?.value !== undefined)?.path ?? node.path }
  }
  const found = schemaAt(schema, location.slice(isBody ? 2 : 3))
  const parts = [found, ...found.at('allOf').items()]
  const at = parts.find(({ value }) => isObject(value) && Object.hasOwn(value, code)) ?? found
  const keywords = Object.entries(objectOf(at.value)).filter(([key]) => !schemaKeywords.has(key))
  return {
    path: at === found && at.at(code).value === undefined ? at.path : [...at.path, code],
    schema: Object.fromEntries(keywords),
  }
}

/** The keywords whose values contain schemas. */
const schemaKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'properties'])

/** Finds a parameter of an operation or of its path. */
export const parameterCursor = (contract: Contract, operation: Operation, place: string, name: string) =>
  [operation.at, operation.at.slice(0, 2)]
    .flatMap((owner) => cursorAt(contract, owner).at('parameters').items())
    .find((parameter) => parameter.at('name').value === name && parameter.at('in').value === place)

/** Returns the file and line of a path, such as `spec/orders.yaml:96`. The line of the root is that of its assumption. */
export function whereOf({ locate }: Contract, path: SpecPath): string {
  const { file, line } = locate(path.length === 0 ? ['x-assumption'] : path, 'key')
  return `${shortPlace(file)}:${line}`
}

export interface Assumption {
  readonly path: SpecPath
  readonly where: string
  readonly text: string
}

export function listAssumptions(contract: Contract): readonly Assumption[] {
  const visit = (value: unknown, path: SpecPath): readonly Assumption[] => {
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
      const at = [...path, Array.isArray(value) ? Number(key) : key]
      const isFound = key === 'x-assumption' && typeof inner === 'string'
      return isFound ? [{ path, where: whereOf(contract, at), text: inner }] : visit(inner, at)
    })
  }
  return visit(contract.document, [])
}

/** Finds the assumption at a path: in the node itself, or next to a keyword of a schema, such as `minimum`. */
export function assumptionAt(contract: Contract, assumptions: readonly Assumption[], path: SpecPath) {
  const at = (node: SpecPath) => assumptions.find((each) => JSON.stringify(each.path) === JSON.stringify(node))
  const isKeyword =
    typeof valueAt(contract.document, path) !== 'object' && path.some((segment) => /^schemas?$/u.test(String(segment)))
  return at(path) ?? (isKeyword ? at(path.slice(0, -1)) : undefined)
}
