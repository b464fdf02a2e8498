/**
 * A spec as Prism is shown it, so that it checks what the double has decoded.
 *
 * Prism takes parameters, forms and multipart bodies apart in its own way, and wrongly for most styles. So each request is shown to it as
 * one JSON body that holds all parameters and the body, decoded; the operations of the spec are rewritten to describe just that.
 */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { isDecoded } from './bodies/decode-body.js'
import type { BodyContent, Operation, Parameter } from './contract.js'
import { documentableMethods } from './contract.js'
import { toParameters } from './parameters/read-parameters.js'
import type { SchemaPreparer } from './schemas/openapi-to-json-schema.js'
import { createSchemaPreparer } from './schemas/openapi-to-json-schema.js'

/** What of an operation is read from the spec, and not from Prism. */
export type DocumentedRequest = Pick<Operation, 'parameters' | 'requestBody'>

/** A spec whose operations are rewritten, and what they were. */
export interface PrismDocument {
  readonly document: JsonObject
  /** By method in capitals and path, such as `GET /orders`. */
  readonly requests: ReadonlyMap<string, DocumentedRequest>
}

/** The media type that stands for a request with a given content; without one, for a request without a body. */
export const requestMediaType = (contents: readonly BodyContent[], content: BodyContent | undefined): string =>
  `application/x-request-${content ? contents.indexOf(content) : 'none'}`

/** Rewrites the operations of a dereferenced spec. */
export function toPrismDocument(document: JsonObject): PrismDocument {
  const preparer = createSchemaPreparer(String(document['openapi']).startsWith('3.0'))
  const requests = new Map<string, DocumentedRequest>()
  const paths = Object.entries(isObject(document['paths']) ? document['paths'] : {}).map(([path, item]) => {
    if (!isObject(item)) return [path, item]
    const { parameters: _, ...rewritten }: Record<string, unknown> = item
    for (const method of documentableMethods) {
      const operation = item[method.toLowerCase()]
      if (!isObject(operation)) continue
      const request = toRequest(item, operation, preparer)
      requests.set(`${method} ${path}`, request)
      rewritten[method.toLowerCase()] = {
        ...operation,
        parameters: [],
        requestBody: toShownBody(request),
        responses: toResponses(operation['responses'], preparer),
      }
    }
    return [path, rewritten]
  })
  return { document: { ...document, paths: Object.fromEntries(paths) }, requests }
}

function toRequest(item: JsonObject, operation: JsonObject, { prepare }: SchemaPreparer): DocumentedRequest {
  const parameters = toParameters(item, operation, (schema) => prepare(schema, 'request'))
  const { requestBody } = operation
  if (!isObject(requestBody)) return { parameters, requestBody: undefined }
  const content = isObject(requestBody['content']) ? requestBody['content'] : {}
  const contents = Object.entries(content).map(([mediaType, media]) => {
    const { encoding, schema } = isObject(media) ? media : {}
    return { mediaType, schema: prepare(schema ?? {}, 'request'), encoding: isObject(encoding) ? encoding : {} }
  })
  return { parameters, requestBody: { required: requestBody['required'] === true, contents } }
}

function toShownBody({ parameters, requestBody }: DocumentedRequest): JsonObject {
  const contents = requestBody?.contents ?? []
  const shown = [undefined, ...contents].map((content) => {
    const schema = toShownSchema(parameters, content)
    return [requestMediaType(contents, content), { schema }] as const
  })
  return { required: true, content: Object.fromEntries(shown) }
}

function toShownSchema(parameters: readonly Parameter[], content: BodyContent | undefined): JsonObject {
  const places = (['path', 'query', 'header', 'cookie'] as const).flatMap((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    if (own.length === 0) return []
    const properties = Object.fromEntries(own.map(({ name, schema }) => [name, schema]))
    const required = own.filter((parameter) => parameter.required).map(({ name }) => name)
    return [[place, { type: 'object', properties, required }] as const]
  })
  const isChecked = content && isDecoded(content.mediaType, content.schema)
  const body = content ? { body: isChecked ? content.schema : {} } : {}
  return { type: 'object', properties: { ...Object.fromEntries(places), ...body } }
}

function toResponses(responses: unknown, { prepare }: SchemaPreparer): unknown {
  if (!isObject(responses)) return responses
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if (!isObject(response) || !isObject(response['content'])) return [status, response]
      const content = Object.entries(response['content']).map(([mediaType, media]) => {
        if (!isObject(media) || media['schema'] === undefined) return [mediaType, media]
        return [mediaType, { ...media, schema: prepare(media['schema'], 'response') }]
      })
      return [status, { ...response, content: Object.fromEntries(content) }]
    }),
  )
}
