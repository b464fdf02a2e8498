/** Finds the parameters of an operation in a request, and converts their values. */
import { isObject, objectAt } from '../../documents/object.js'
import { attempt } from '../../error-message.js'
import type { Json, Operation, OperationRequest, Parameter } from '../contract.js'
import { isJson } from '../media-types.js'
import { parseJsonWithinBounds } from '../parse-large-integers.js'
import { possibleSchemas, type Shape, shapesOf, typesOf } from '../schemas/read-schema.js'
import { convertText, findInPairs, readPathOrHeaderText, splitPairs } from './parameter-styles.js'
import type { FoundParameter, Pair, TextValue } from './parameter-styles.js'

export interface PossibleParameterValues extends FoundParameter {
  readonly parameter: Parameter
  /** The possible values, most likely first. Empty if the parameter is absent or malformed. */
  readonly values: readonly Json[]
}

/** Finds and converts the parameters of an operation in a request. The result has an element for each documented parameter. */
export function decodeParameters(operation: Operation, request: OperationRequest): readonly PossibleParameterValues[] {
  const query = splitPairs(request.query)
  const cookies = splitPairs(request.headers['cookie'] ?? '', /; */u)
  return operation.parameters.map((parameter) => {
    const find = (shape: Shape): FoundParameter => {
      if (parameter.in === 'query' || parameter.in === 'cookie') {
        const pairs = parameter.in === 'query' ? query : explodeCookies(cookies, parameter, shape)
        return findInPairs(parameter, shape, pairs, ownNames(operation, parameter))
      }
      const raw = parameter.in === 'path' ? request.path[parameter.name] : request.headers[parameter.name.toLowerCase()]
      return raw === undefined ? { texts: [], text: undefined } : readPathOrHeaderText(parameter, shape, raw)
    }
    return read(parameter, find)
  })
}

/** An exploded value is one cookie with `&` (RFC 6570), or one cookie for each item or property. */
const explodeCookies = (cookies: readonly Pair[], { explode }: Parameter, shape: Shape): readonly Pair[] =>
  explode && shape !== 'primitive' ? cookies.flatMap(({ name, raw }) => splitPairs(`${name}=${raw}`)) : cookies

function read(parameter: Parameter, find: (shape: Shape) => FoundParameter): PossibleParameterValues {
  if (parameter.mediaType !== undefined) return readContent(parameter, parameter.mediaType, find('primitive'))
  const shapes = shapesOf(parameter.requestSchema)
  const found = shapes.map(find)
  const first = found.find(({ text }) => text !== undefined) ?? found.find(({ malformed }) => malformed) ?? found[0]
  if (!first || (parameter.allowEmptyValue && first.texts.length === 1 && first.text === ''))
    return { parameter, texts: [], text: undefined, values: [] }
  const texts = found.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const types = typesOf(parameter.requestSchema) ?? new Set()
  const isAmbiguous = types.has('string') && types.size > 1
  const hasOneMeaning = shapes.length === 1 && shapes[0] === 'primitive' && !isAmbiguous
  const preferredTypes = hasOneMeaning ? (['specific'] as const) : (['specific', 'string'] as const)
  const convert = (text: TextValue): readonly Json[] =>
    preferredTypes.map((preferred) => convertText(text, parameter.requestSchema, preferred))
  return { ...first, parameter, values: texts.flatMap(convert) }
}

function readContent(parameter: Parameter, mediaType: string, found: FoundParameter): PossibleParameterValues {
  const { text } = found
  if (typeof text !== 'string') return { ...found, parameter, values: [] }
  const value = isJson(mediaType)
    ? attempt(() => parseJsonWithinBounds(text, parameter.requestSchema) as Json)
    : convertText(text, parameter.requestSchema, 'string')
  if (value === undefined) return { ...found, parameter, text: undefined, malformed: 'style', values: [] }
  return { ...found, parameter, values: [value] }
}

/** Tells whether a parameter is an object that is written as a pair for each property. No pair then has the name of the parameter. */
const isExplodedObject = ({ explode, mediaType, requestSchema, style }: Parameter): boolean =>
  explode && style !== 'deepObject' && mediaType === undefined && shapesOf(requestSchema)[0] === 'object'

const allowsOtherProperties = ({ requestSchema }: Parameter): boolean =>
  possibleSchemas(requestSchema).some(
    (part) => isObject(part['patternProperties']) || (part['additionalProperties'] ?? false) !== false,
  )

/** Tells whether a name belongs to a parameter: one that allows others has every name that no other parameter has. */
function ownNames(operation: Operation, parameter: Parameter): (name: string) => boolean {
  const isOfOther = (name: string): boolean =>
    operation.parameters.some((other) => other !== parameter && other.in === parameter.in && isNameOf(other, name))
  // A property of an exploded object may have the name of another parameter, which the name then is.
  const isTaken = (name: string): boolean =>
    isExplodedObject(parameter) &&
    operation.parameters.some((other) => other.in === parameter.in && other.name === name)
  return (name) => (isNameOf(parameter, name) ? !isTaken(name) : allowsOtherProperties(parameter) && !isOfOther(name))
}

function isNameOf(parameter: Parameter, name: string): boolean {
  if (parameter.style === 'deepObject') return name.startsWith(`${parameter.name}[`)
  if (!isExplodedObject(parameter)) return parameter.name === name
  return possibleSchemas(parameter.requestSchema).some((part) => Object.hasOwn(objectAt(part, 'properties'), name))
}

export function undocumentedNames(operation: Operation, query: string): readonly string[] {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  if (parameters.some((parameter) => isExplodedObject(parameter) && allowsOtherProperties(parameter))) return []
  const names = new Set(splitPairs(query).map(({ name }) => name))
  const isCredential = (name: string): boolean =>
    operation.security.flat().some((scheme) => scheme.in === 'query' && scheme.parameter === name)
  return [...names].filter((name) => !isCredential(name) && !parameters.some((parameter) => isNameOf(parameter, name)))
}
