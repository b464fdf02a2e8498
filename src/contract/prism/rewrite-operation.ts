/**
 * Prism decodes most styles of parameters, forms and multipart bodies wrongly. So the double decodes them, and Prism gets operations that describe
 * one JSON body, which combines parameters and body.
 */
import type { JsonObject } from '../../documents/object.js'
import { filterProperties, groupBy, isObject, mapProperties, objectAt } from '../../documents/object.js'
import { type BodyContent, documentableMethods, type Operation, type Parameter } from '../contract.js'
import { isDecoded } from '../decode-body.js'
import { dateTimePattern, addPattern } from '../schemas/patterns.js'
import { possibleSchemas } from '../schemas/read-schema.js'

/** Returns the media type of the combined body for a content. @param content - Undefined: the request has no body. */
export const combinedBodyMediaType = (contents: readonly BodyContent[], content: BodyContent | undefined): string =>
  `application/x-request-${content ? contents.indexOf(content) : 'none'}`

type RewritableOperation = Pick<Operation, 'described' | 'method' | 'parameters' | 'path' | 'requestBody'>

/** Returns a spec with the rewritten operation only. @param openapi - The version of the spec. */
export function rewriteOperation(operation: RewritableOperation, openapi: unknown, convert: ConvertSchema): JsonObject {
  const { described, method, path } = operation
  // Callbacks are neither sent nor validated.
  const { callbacks: _, ...own } = described
  const responses = convertResponses(described['responses'], convert)
  const rewritten = { ...own, parameters: [], requestBody: combinedBody(operation), responses }
  // Prism does not know the methods of OpenAPI 3.2. Its validation does not depend on them.
  const key = documentableMethods.includes(method) ? method.toLowerCase() : 'post'
  return { openapi, info: { title: '', version: '' }, paths: { [path]: { [key]: rewritten } } }
}

function combinedBody({ parameters, requestBody }: RewritableOperation): JsonObject {
  const contents = requestBody?.contents ?? []
  const combined = [undefined, ...contents].map(
    (content) => [combinedBodyMediaType(contents, content), { schema: combinedSchema(parameters, content) }] as const,
  )
  return { required: true, content: Object.fromEntries(combined) }
}

function combinedSchema(parameters: readonly Parameter[], content: BodyContent | undefined): JsonObject {
  const places = [...groupBy(parameters, (parameter) => parameter.in)].map(([place, own]) => {
    const properties = Object.fromEntries(own.map(({ name, requestSchema }) => [name, requestSchema]))
    const required = own.filter((parameter) => parameter.required).map(({ name }) => name)
    return [place, { type: 'object', properties, required }] as const
  })
  const isValidated = content && isDecoded(content.mediaType, content.requestSchema)
  const body = content ? { body: isValidated ? content.requestSchema : {} } : {}
  return { type: 'object', properties: { ...Object.fromEntries(places), ...body } }
}

function convertResponses(responses: unknown, convert: ConvertSchema): unknown {
  const withSchema = (holder: unknown): unknown =>
    isObject(holder) && holder['schema'] !== undefined
      ? { ...holder, schema: convert(holder['schema'], 'response') }
      : holder
  return mapProperties(responses, (response) =>
    mapProperties(response, (part, key) => {
      if (key !== 'content' && key !== 'headers') return part
      // OpenAPI says that a response header of this name is ignored. A media type has a slash.
      const kept = filterProperties(part, (_, name) => !/^content-type$/iu.test(name))
      return mapProperties(kept, withSchema)
    }),
  )
}

type Message = 'request' | 'response'

/** Keywords whose schemas apply to a part of the value. */
const childKeywords = new Set(['additionalItems', 'additionalProperties', 'contains', 'items', 'not', 'propertyNames'])
/** Keywords whose schemas apply to the same value. */
const inPlaceKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'])
/** Keywords whose schemas have names. */
const namedKeywords = new Set(['properties', 'patternProperties', 'definitions'])

const base64Pattern = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'

/** The bounds of numeric formats. A JavaScript number can represent 2^63, but not 2^63 - 1. */
const formatBounds: ReadonlyMap<unknown, JsonObject> = new Map([
  ['int32', { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }],
  ['int64', { minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 }],
])

const numberFormats: ReadonlySet<unknown> = new Set([...formatBounds.keys(), 'float', 'double'])

/** Returns a converted copy of a schema, which may contain itself. The same schema gives the same copy. */
export type ConvertSchema = (schema: unknown, message: Message) => unknown

/**
 * Creates a converter of OpenAPI's own keywords to JSON Schema, for the schemas of one document.
 *
 * Prism converts some of them, but not in all subschemas and not all correctly. It narrows int64 to 53 bits, allows null next to an `enum`
 * without null, applies `nullable` in OpenAPI 3.1, and requires `readOnly` properties next to an `allOf`.
 *
 * @param openapi - The version of the document: `nullable` is a keyword of 3.0.
 * @param isMocked - True if values of responses are generated by the schemas: without patterns of date-times, which Prism's generator cannot
 * handle, without formats of numbers, and without `writeOnly` properties.
 */
export function createSchemaConverter(openapi: unknown, isMocked = false): ConvertSchema {
  const isOpenApi30 = String(openapi).startsWith('3.0')
  const copies = new Map<JsonObject, Map<string, JsonObject>>()

  const copy = (schema: unknown, message: Message, inherited: ReadonlySet<string>): unknown => {
    if (Array.isArray(schema)) return schema.map((each) => copy(each, message, inherited))
    if (!isObject(schema)) return schema
    const optional = new Set([...inherited, ...omittedProperties(schema, message)])
    const key = [message, ...[...optional].toSorted()].join('\n')
    const known = copies.get(schema)?.get(key)
    if (known) return known
    const into: Record<string, unknown> = {}
    copies.set(schema, (copies.get(schema) ?? new Map<string, JsonObject>()).set(key, into))
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'readOnly' || keyword === 'writeOnly') continue
      if (keyword === 'required' && Array.isArray(value))
        into[keyword] = value.filter((name: unknown) => !optional.has(String(name)))
      else if (childKeywords.has(keyword)) into[keyword] = copy(value, message, new Set())
      else if (inPlaceKeywords.has(keyword)) into[keyword] = copy(value, message, optional)
      else if (namedKeywords.has(keyword)) {
        const kept = filterProperties(value, (child) => !isMocked || !isFlagged(child, 'writeOnly'))
        into[keyword] = mapProperties(kept, (child) => copy(child, message, new Set()))
      } else into[keyword] = value
    }
    convertNullable(into, isOpenApi30)
    convertExclusiveFlags(into)
    // Prism's generator takes the least number that the bounds of a format allow.
    if (isMocked && numberFormats.has(into['format'])) delete into['format']
    convertFormat(into)
    if (!isMocked && schema['format'] === 'date-time') addPattern(into, dateTimePattern)
    return into
  }

  return (schema, message) => copy(schema, message, new Set())
}

/** Lists the properties that a message may omit although they are required: `readOnly` in requests, `writeOnly` in responses. */
function omittedProperties(schema: JsonObject, message: Message): string[] {
  const flag = message === 'request' ? 'readOnly' : 'writeOnly'
  const properties = possibleSchemas(schema, ['allOf']).flatMap((part) => Object.entries(objectAt(part, 'properties')))
  return properties.filter(([, property]) => isFlagged(property, flag)).map(([name]) => name)
}

const isFlagged = (schema: unknown, flag: string): boolean =>
  possibleSchemas(schema, ['allOf']).some((part) => part[flag] === true)

/** Replaces `nullable`. In OpenAPI 3.0 it adds null to the type and to nothing else. OpenAPI 3.1 has no such keyword. */
function convertNullable(schema: Record<string, unknown>, isOpenApi30: boolean): void {
  const { nullable, type } = schema
  if (typeof nullable !== 'boolean') return
  delete schema['nullable']
  if (isOpenApi30 && nullable && type !== undefined) schema['type'] = [...new Set([type, 'null'].flat())]
}

/** Converts the boolean `exclusiveMaximum` and `exclusiveMinimum` of OpenAPI 3.0 to numbers. */
function convertExclusiveFlags(schema: Record<string, unknown>): void {
  for (const bound of ['maximum', 'minimum']) {
    const flag = bound === 'maximum' ? 'exclusiveMaximum' : 'exclusiveMinimum'
    if (typeof schema[flag] !== 'boolean') continue
    const isExclusive = schema[flag] && typeof schema[bound] === 'number'
    if (isExclusive) schema[flag] = schema[bound]
    delete schema[isExclusive ? bound : flag]
  }
}

/** Replaces formats that Prism checks too loosely or wrongly by bounds or a pattern. */
function convertFormat(schema: Record<string, unknown>): void {
  const bounds = formatBounds.get(schema['format'])
  if (bounds) addBounds(schema, bounds)
  else if (schema['format'] === 'byte') addPattern(schema, base64Pattern)
  // Ajv's `url` allows neither loopback hosts nor names without a dot.
  else if (schema['format'] === 'url') return void (schema['format'] = 'uri')
  else return
  delete schema['format']
}

function addBounds(schema: Record<string, unknown>, bounds: JsonObject): void {
  for (const [keyword, bound] of Object.entries(bounds)) {
    const own = schema[keyword]
    const pick = keyword === 'minimum' ? Math.max : Math.min
    schema[keyword] = typeof own === 'number' ? pick(own, Number(bound)) : bound
  }
  const { exclusiveMaximum, maximum } = schema
  if (typeof maximum !== 'number' || typeof exclusiveMaximum !== 'number') return
  delete schema[maximum < exclusiveMaximum ? 'exclusiveMaximum' : 'maximum']
}
