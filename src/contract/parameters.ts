/** The parameters of an operation: how they are described, found in a request, and spoken of. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Json, Operation, OperationRequest, Parameter, Violation } from './contract.js'
import { dateTimePattern } from './date-time.js'
import { boundsOf, parseJsonExactly, writeExactly } from './exact-integers.js'
import { isJson } from './media-types.js'
import type { Found, Pair, Shape } from './parameter-styles.js'
import { exampleOf, readPairs, readText, splitPairs } from './parameter-styles.js'
import { convert, partsOf, shapesOf, typesOf } from './parameter-types.js'

/** The most of a value that a message repeats, in characters. */
const maxQuoted = 100

/** Header parameters that OpenAPI tells to ignore. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type'])

const places = ['path', 'query', 'header', 'cookie'] as const
const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple', 'label', 'matrix'] as const

/**
 * Reads the Parameter Objects of an operation.
 *
 * @param prepare - Prepares a schema for checking.
 */
export function toParameters(
  item: JsonObject,
  operation: JsonObject,
  prepare: (schema: unknown) => unknown,
): readonly Parameter[] {
  const byKey = new Map<string, Parameter>()
  for (const parameter of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    if (!isObject(parameter)) continue
    const described = toParameter(parameter, prepare)
    const isIgnored = described?.in === 'header' && ignoredHeaders.has(described.name.toLowerCase())
    // Those of the operation come last and win over those of its path.
    if (described && !isIgnored) byKey.set(`${described.in} ${described.name}`, described)
  }
  return [...byKey.values()].toSorted((a, b) => places.indexOf(a.in) - places.indexOf(b.in))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function toParameter(parameter: JsonObject, prepare: (schema: unknown) => unknown): Parameter | undefined {
  const place = places.find((known) => known === parameter['in'])
  if (!place) return undefined
  const [content] = isObject(parameter['content']) ? Object.entries(parameter['content']) : []
  const media = content && isObject(content[1]) ? content[1] : {}
  const schema = prepare(content ? media['schema'] : parameter['schema']) ?? {}
  const own = styles.find((known) => known === parameter['style'])
  const style = own ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const { explode } = parameter
  return {
    name: String(parameter['name']),
    in: place,
    required: parameter['required'] === true,
    deprecated: parameter['deprecated'] === true,
    allowEmptyValue: place === 'query' && parameter['allowEmptyValue'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
    mediaType: content?.[0],
    schema,
    rule: ruleOf(schema),
  }
}

/** A parameter as a request has it. */
export interface GivenParameter extends Found {
  readonly parameter: Parameter
  /** What it may stand for, the most likely first. Empty where it was not given, or is written wrongly. */
  readonly values: readonly Json[]
}

/** Finds the parameters of an operation in a request. */
export function readParameters(operation: Operation, request: OperationRequest): readonly GivenParameter[] {
  const query = splitPairs(request.query)
  const cookies = splitPairs(request.headers['cookie'] ?? '', /; */u)
  return operation.parameters.map((parameter) => {
    const find = (shape: Shape): Found => {
      if (parameter.in === 'query') return readPairs(parameter, shape, query, ownNames(operation, parameter))
      if (parameter.in === 'cookie') return readCookie(parameter, shape, cookies, ownNames(operation, parameter))
      const raw = parameter.in === 'path' ? request.path[parameter.name] : request.headers[parameter.name.toLowerCase()]
      if (raw === undefined) return { texts: [], text: undefined }
      return readText(parameter, shape, raw, parameter.in === 'path' ? decodeURIComponent : (part) => part)
    }
    return read(parameter, find)
  })
}

/** RFC 6570 separates with `&`, which stands inside of one cookie; clients that know cookies send several. */
function readCookie(
  parameter: Parameter,
  shape: Shape,
  cookies: readonly Pair[],
  isOwn: (name: string) => boolean,
): Found {
  const isList = parameter.explode && shape !== 'primitive'
  const pairs = isList ? cookies.flatMap(({ name, raw }) => splitPairs(`${name}=${raw}`)) : cookies
  return readPairs(parameter, shape, pairs, isOwn)
}

function read(parameter: Parameter, find: (shape: Shape) => Found): GivenParameter {
  if (parameter.mediaType !== undefined) return readContent(parameter, parameter.mediaType, find('primitive'))
  const shapes = shapesOf(parameter.schema)
  const found = shapes.map(find)
  const first = found.find(({ text }) => text !== undefined) ?? found.find(({ mistake }) => mistake) ?? found[0]
  if (!first) return { parameter, texts: [], text: undefined, values: [] }
  if (parameter.allowEmptyValue && first.texts.length === 1 && first.text === '')
    return { parameter, texts: [], text: undefined, values: [] }
  const texts = found.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const isPlain = shapes.length === 1 && shapes[0] === 'primitive' && !isAmbiguous(parameter.schema)
  const readings = isPlain ? (['specific'] as const) : (['specific', 'text'] as const)
  return {
    ...first,
    parameter,
    values: texts.flatMap((text) => readings.map((reading) => convert(text, parameter.schema, reading))),
  }
}

function isAmbiguous(schema: unknown): boolean {
  const types = typesOf(schema)
  return types !== undefined && types.has('string') && types.size > 1
}

function readContent(parameter: Parameter, mediaType: string, found: Found): GivenParameter {
  if (typeof found.text !== 'string') return { ...found, parameter, values: [] }
  if (!isJson(mediaType)) return { ...found, parameter, values: [convert(found.text, parameter.schema, 'text')] }
  try {
    return { ...found, parameter, values: [parseJsonExactly(found.text, boundsOf(parameter.schema)) as Json] }
  } catch {
    return { ...found, parameter, text: undefined, mistake: 'style', values: [] }
  }
}

const isSpread = ({ explode, mediaType, schema, style }: Parameter): boolean =>
  explode && style !== 'deepObject' && mediaType === undefined && shapesOf(schema)[0] === 'object'

/** Whether an object takes properties that it does not name, and says so. */
const isOpen = ({ schema }: Parameter): boolean =>
  partsOf(schema).some(
    (part) => isObject(part['patternProperties']) || (part['additionalProperties'] ?? false) !== false,
  )

/** Which names of a query belong to an object that is spread over it: its properties, and where it is open all that nobody else has. */
function ownNames(operation: Operation, parameter: Parameter): (name: string) => boolean {
  const others = operation.parameters.filter((other) => other !== parameter && other.in === parameter.in)
  return (name) => isNameOf(parameter, name) || (isOpen(parameter) && !others.some((other) => isNameOf(other, name)))
}

/** Whether a name of a query is what a parameter is written with. */
function isNameOf(parameter: Parameter, name: string): boolean {
  if (parameter.style === 'deepObject') return name.startsWith(`${parameter.name}[`)
  if (!isSpread(parameter)) return parameter.name === name
  return partsOf(parameter.schema).some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name))
}

/** Lists the names of a query that no parameter is written with. */
export function undocumentedNames(operation: Operation, query: string): readonly string[] {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  if (parameters.some((parameter) => isSpread(parameter) && isOpen(parameter))) return []
  const names = new Set(splitPairs(query).map(({ name }) => name))
  return [...names].filter((name) => !parameters.some((parameter) => isNameOf(parameter, name)))
}

/** Says that a parameter is wrong: name, rule, and what was received. */
export function parameterViolation(
  { mistake, parameter, texts }: Pick<GivenParameter, 'mistake' | 'parameter' | 'texts'>,
  code: string,
  { inside = [], rule = parameter.rule }: { inside?: readonly string[]; rule?: string } = {},
): Violation {
  const path = inside.map((segment) => (/^\d+$/u.test(segment) ? `[${segment}]` : `.${segment}`)).join('')
  const name = `${parameter.in[0]?.toUpperCase()}${parameter.in.slice(1)} parameter ${parameter.name}${path}`
  // Cookies are credentials as often as not, and are not repeated.
  const got = parameter.in === 'cookie' ? 'something else' : texts.map(quote).join(', ')
  const message =
    texts.length === 0
      ? `${name} is required, and ${parameter.rule}.`
      : mistake === 'repeated'
        ? `${name} must be given once, got ${texts.length}${parameter.in === 'cookie' ? '' : `: ${got}`}.`
        : `${name} ${mistake === 'style' ? styleOf(parameter) : rule}, got ${got}.`
  return { location: ['request', parameter.in, parameter.name, ...inside], severity: 'Error', code, message }
}

function styleOf(parameter: Parameter): string {
  if (parameter.mediaType !== undefined) return `must be ${parameter.mediaType}`
  return `must be written in style ${parameter.style}, such as ${exampleOf(parameter, shapesOf(parameter.schema)[0] ?? 'primitive')}`
}

function quote(value: string): string {
  return JSON.stringify(value.length > maxQuoted ? `${value.slice(0, maxQuoted)}…` : value)
}

/** What is said of a schema that a sentence cannot say. */
export const unsaid = 'must be what the contract allows'

/** Says what a schema wants, as the end of a sentence. */
export function ruleOf(schema: unknown): string {
  const { const: only, enum: values, format, pattern }: JsonObject = isObject(schema) ? schema : {}
  if (only !== undefined) return `must be ${JSON.stringify(only)}`
  if (Array.isArray(values)) return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const types = new Set(typesOf(schema))
  types.delete('null')
  if (types.size === 1 && types.has('boolean')) return 'must be true or false'
  const isNumber = types.delete('number')
  if (types.size === 1 && types.has('integer') && isObject(schema)) return numberRule(schema, isNumber)
  if (pattern === dateTimePattern) return 'must be an RFC 3339 date-time such as 2026-01-05T09:30:00Z'
  if (typeof pattern === 'string') return `must match ${pattern}`
  if (typeof format === 'string') return `must be a ${format}`
  return unsaid
}

function numberRule(schema: JsonObject, isNumber: boolean): string {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = schema
  const kind = isNumber ? 'a number' : 'an integer'
  // Of integers, what is below 2^63 can be said without it: 2^63 - 1.
  const below = !isNumber && typeof exclusiveMaximum === 'number' ? BigInt(Math.ceil(exclusiveMaximum)) - 1n : undefined
  const least = typeof minimum === 'number' ? writeExactly(minimum) : undefined
  const most = typeof maximum === 'number' ? writeExactly(maximum) : below?.toString()
  if (least !== undefined && most !== undefined) return `must be ${kind} from ${least} to ${most}`
  const bounds = [`must be ${kind}`]
  if (least !== undefined) bounds.push(`at least ${least}`)
  if (typeof exclusiveMinimum === 'number') bounds.push(`more than ${writeExactly(exclusiveMinimum)}`)
  if (most !== undefined) bounds.push(`at most ${most}`)
  else if (typeof exclusiveMaximum === 'number') bounds.push(`less than ${writeExactly(exclusiveMaximum)}`)
  return bounds.join(', ')
}
