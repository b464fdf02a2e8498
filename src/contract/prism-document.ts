/**
 * Rewrites the operations of a spec so that Prism validates decoded requests.
 *
 * Prism decodes most styles of parameters, forms and multipart bodies wrongly. So the double decodes them, and combines the parameters and the
 * body of a request in one JSON body. Each operation is rewritten to describe that combined body.
 */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { isDecoded } from './bodies/decode-body.js'
import type { BodyContent, Operation, Parameter } from './contract.js'
import { documentableMethods } from './contract.js'
import { readParameters } from './parameters/read-parameters.js'
import { readSecurity, readSecuritySchemes } from './read-security.js'
import type { ConvertSchema } from './schemas/openapi-to-json-schema.js'
import { createSchemaConverter } from './schemas/openapi-to-json-schema.js'

/** An operation of a spec. Its parameters and its request body are read from the spec, and not from Prism. */
export interface DocumentedOperation extends Pick<
  Operation,
  'method' | 'path' | 'parameters' | 'requestBody' | 'scopes' | 'secured' | 'security'
> {
  /** The operation as the spec has it. */
  readonly described: JsonObject
  /** Returns a spec with the rewritten operation only. */
  rewrite(): JsonObject
}

/** Returns the media type of the combined body for a content. @param content - Undefined: the request has no body. */
export const combinedBodyMediaType = (contents: readonly BodyContent[], content: BodyContent | undefined): string =>
  `application/x-request-${content ? contents.indexOf(content) : 'none'}`

/** Lists the operations of a dereferenced spec. Each is rewritten when it is first needed: that takes long in a large spec. */
export function documentedOperations(document: JsonObject): readonly DocumentedOperation[] {
  const convertSchema = createSchemaConverter(String(document['openapi']).startsWith('3.0'))
  const schemes = readSecuritySchemes(document)
  const paths = Object.entries(isObject(document['paths']) ? document['paths'] : {})
  return paths.flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([key, described]) => {
      const method = documentableMethods.find((known) => known.toLowerCase() === key)
      if (!method || !isObject(item) || !isObject(described)) return []
      const request = readRequest(item, described, convertSchema)
      const rewrite = (): JsonObject => {
        const responses = convertResponses(described['responses'], convertSchema)
        // Prism's mocker would send the callbacks.
        const { callbacks: _, ...own } = described
        const operation = { ...own, parameters: [], requestBody: combinedBody(request), responses }
        return { openapi: document['openapi'], info: document['info'], paths: { [path]: { [key]: operation } } }
      }
      return [{ method, path, described, ...request, ...readSecurity(document, described, schemes), rewrite }]
    }),
  )
}

function readRequest(
  item: JsonObject,
  operation: JsonObject,
  convertSchema: ConvertSchema,
): Pick<Operation, 'parameters' | 'requestBody'> {
  const parameters = readParameters(item, operation, (schema) => convertSchema(schema, 'request'))
  const { requestBody } = operation
  if (!isObject(requestBody)) return { parameters, requestBody: undefined }
  const content = isObject(requestBody['content']) ? requestBody['content'] : {}
  const contents = Object.entries(content).map(([mediaType, media]) => {
    const { encoding, schema } = isObject(media) ? media : {}
    return { mediaType, schema: convertSchema(schema ?? {}, 'request'), encoding: isObject(encoding) ? encoding : {} }
  })
  return { parameters, requestBody: { required: requestBody['required'] === true, contents } }
}

function combinedBody({ parameters, requestBody }: Pick<Operation, 'parameters' | 'requestBody'>): JsonObject {
  const contents = requestBody?.contents ?? []
  const combined = [undefined, ...contents].map((content) => {
    const schema = combinedSchema(parameters, content)
    return [combinedBodyMediaType(contents, content), { schema }] as const
  })
  return { required: true, content: Object.fromEntries(combined) }
}

function combinedSchema(parameters: readonly Parameter[], content: BodyContent | undefined): JsonObject {
  const places = (['path', 'query', 'header', 'cookie'] as const).flatMap((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    if (own.length === 0) return []
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]))
    const required = own.filter((parameter) => parameter.required).map(({ name }) => name)
    return [[place, { type: 'object', properties, required }] as const]
  })
  const isValidated = content && isDecoded(content.mediaType, content.schema)
  const body = content ? { body: isValidated ? content.schema : {} } : {}
  return { type: 'object', properties: { ...Object.fromEntries(places), ...body } }
}

function convertResponses(responses: unknown, convertSchema: ConvertSchema): unknown {
  if (!isObject(responses)) return responses
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if (!isObject(response) || !isObject(response['content'])) return [status, response]
      const content = Object.entries(response['content']).map(([mediaType, media]) => {
        if (!isObject(media) || media['schema'] === undefined) return [mediaType, media]
        return [mediaType, { ...media, schema: convertSchema(media['schema'], 'response') }]
      })
      return [status, { ...response, content: Object.fromEntries(content) }]
    }),
  )
}
