/** Finds the parameters of an operation in a request, and converts them. */
import { isObject } from '../../documents/object.js'
import { isJson } from '../bodies/media-types.js'
import type { Json, Operation, OperationRequest, Parameter } from '../contract.js'
import { boundsOf, parseJsonExactly } from '../schemas/exact-integers.js'
import type { FoundParameter, Pair, Shape } from './parameter-styles.js'
import { readPairs, readText, splitPairs } from './parameter-styles.js'
import { convert, partsOf, shapesOf, typesOf } from './parameter-types.js'

/** A parameter as a request has it. */
export interface GivenParameter extends FoundParameter {
  readonly parameter: Parameter
  /** What it may stand for, the most likely first. Empty where it was not given, or is written wrongly. */
  readonly values: readonly Json[]
}

/** Finds the parameters of an operation in a request. */
export function readParameters(operation: Operation, request: OperationRequest): readonly GivenParameter[] {
  const query = splitPairs(request.query)
  const cookies = splitPairs(request.headers['cookie'] ?? '', /; */u)
  return operation.parameters.map((parameter) => {
    const find = (shape: Shape): FoundParameter => {
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
): FoundParameter {
  const isList = parameter.explode && shape !== 'primitive'
  const pairs = isList ? cookies.flatMap(({ name, raw }) => splitPairs(`${name}=${raw}`)) : cookies
  return readPairs(parameter, shape, pairs, isOwn)
}

function read(parameter: Parameter, find: (shape: Shape) => FoundParameter): GivenParameter {
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

function readContent(parameter: Parameter, mediaType: string, found: FoundParameter): GivenParameter {
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
