/** Converts Swagger 2.0 to OpenAPI 3.0. Each value remembers its place in the Swagger document. */
import { filterProperties, isObject, type JsonObject, mapProperties, objectOf, listOf } from '../documents/object.js'
import { type Segment, resolveReference, valueAt } from '../documents/pointer.js'
import { type Problem, problemAt } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { createOrigins, type Origin } from './origins.js'
import { hasNames, isData } from './spec-keys.js'

type Path = readonly Segment[]
type MutableObject = Record<string, unknown>

type Located = { readonly value: JsonObject; readonly path: Path }

const operationKeys = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])

/** The keys that are not those of a schema in OpenAPI 3. The others are, also those that are misspelt. */
const parameterKeys = /^(?:name|in|description|required|allowEmptyValue|collectionFormat|\$ref|x-(?!nullable$).*)$/u

const flowNames = new Map(Object.entries({ application: 'clientCredentials', accessCode: 'authorizationCode' }))

/** @param source - A document with `swagger: "2.0"`. Its errors are kept, so that linting finds them. */
export function convertSwagger(source: Source): { readonly source: Source; readonly diagnostics: readonly Problem[] } {
  const origins = createOrigins(source)
  const diagnostics: Problem[] = []
  const whole = objectOf(source.value)
  const originAt = (path: Path): Origin => ({ source, path })
  /** The place of a header parameter that is read as a security scheme. */
  let tokenParameter: Path | undefined

  function put(into: MutableObject, key: string, value: unknown, path: Path): void {
    into[key] = value
    origins.set(into, key, originAt(path))
  }

  function toPathItem(item: unknown, path: Path): unknown {
    if (!isObject(item)) return item
    const shared = parametersOf(item, path)
    const into: MutableObject = { ...item }
    for (const key of Object.keys(item))
      if (operationKeys.has(key)) into[key] = toOperation(item[key], [...path, key], shared)
    if (item['parameters'] !== undefined) putParameters(into, shared, item['parameters'])
    return into
  }

  /** @param shared - The parameters of the path item. */
  function toOperation(operation: unknown, path: Path, shared: readonly Located[]): unknown {
    if (!isObject(operation)) return operation
    const { consumes, produces, schemes: _, parameters, responses, ...rest } = operation
    const into: MutableObject = { ...rest }
    const own = parametersOf(operation, path)
    const all = [...own, ...shared].map((each) => resolved(each))
    const isSecured = rest['security'] !== undefined || whole['security'] !== undefined
    const token = isSecured ? undefined : all.find(({ value }) => isRequiredToken(value))
    const others = own.filter((each) => each !== token)
    if (parameters !== undefined) putParameters(into, others, parameters)
    putRequestBody(into, all, consumes ?? whole['consumes'])
    if (token) {
      if (!tokenParameter) note(token.path, 'counts as a bearer token', 'describe it by security')
      tokenParameter ??= token.path
      put(into, 'security', [{ [tokenScheme]: [] }], token.path)
    }
    if (responses === undefined) return into
    into['responses'] = mapProperties(responses, (response, status) => {
      if (status.startsWith('x-')) return response
      const located = { value: response as JsonObject, path: [...path, 'responses', status] }
      // A shared response has the media types of the document.
      const target = produces === undefined ? located : resolved(located)
      return toResponse(target.value, target.path, produces)
    })
    return into
  }

  /** A reference that leads nowhere stays as it is, so that it is refused as it was written. */
  function pointerTo(reference: string): string {
    if (!resolveReference(source.value, reference)) return reference
    return reference
      .replace(/^#\/definitions\//u, '#/components/schemas/')
      .replace(/^#\/(parameters|responses)\//u, '#/components/$1/')
  }

  function parametersOf(holder: JsonObject, path: Path): readonly Located[] {
    return listOf(holder['parameters']).flatMap((value, index) =>
      isObject(value) ? [{ value, path: [...path, 'parameters', index] }] : [],
    )
  }

  function resolved(located: Located): Located {
    const { $ref: reference } = located.value
    const found = typeof reference === 'string' ? resolveReference(source.value, reference) : undefined
    return found && isObject(found.value) ? { value: found.value, path: found.path } : located
  }

  /** Writes the parameters that are not in a body. @param given - The list of Swagger, which linting refuses if it is none. */
  function putParameters(into: MutableObject, located: readonly Located[], given: unknown): void {
    if (!Array.isArray(given)) return void (into['parameters'] = given)
    const others = located.filter((each) => !isInBody(resolved(each).value))
    const list = others.map(({ path, value }) => toParameter(value, path))
    for (const [index, { path }] of others.entries()) origins.set(list, index, originAt(path))
    into['parameters'] = list
  }

  function toParameter(parameter: unknown, path: Path): unknown {
    if (!isObject(parameter)) return parameter
    if (typeof parameter['$ref'] === 'string') return { ...parameter, $ref: pointerTo(parameter['$ref']) }
    const { collectionFormat, ...rest } = parameter
    const [schema, others] = splitSchema(rest)
    const into: MutableObject = { ...others }
    put(into, 'schema', toSchema(schema, [...path, 'schema']), path)
    if (schema['type'] === 'array') Object.assign(into, styleOf(collectionFormat, parameter['in'], path))
    return into
  }

  /** The default of Swagger is `csv`, that of OpenAPI 3 `multi`. */
  function styleOf(collectionFormat: unknown, place: unknown, path: Path): JsonObject {
    const isInQuery = place === 'query' || place === 'formData'
    if (collectionFormat === 'multi' && isInQuery) return { style: 'form', explode: true }
    if (collectionFormat === 'ssv' && isInQuery) return { style: 'spaceDelimited', explode: false }
    if (collectionFormat === 'pipes' && isInQuery) return { style: 'pipeDelimited', explode: false }
    if (collectionFormat !== undefined && collectionFormat !== 'csv')
      note([...path, 'collectionFormat'], `collectionFormat ${JSON.stringify(collectionFormat)} is read as csv`)
    return isInQuery ? { style: 'form', explode: false } : { style: 'simple', explode: false }
  }

  function note(path: Path, what: string, hint = 'use csv in a query, or multi'): void {
    diagnostics.push(problemAt(source, path, what, hint))
  }

  function putRequestBody(into: MutableObject, parameters: readonly Located[], consumes: unknown): void {
    const body = parameters.find(({ value }) => value['in'] === 'body')
    const fields = uniqueByName(parameters.filter(({ value }) => value['in'] === 'formData'))
    const [first] = body ? [body] : fields
    if (!first) return
    const types = listOf(consumes).filter((type) => typeof type === 'string')
    const requestBody: MutableObject = {}
    const content: MutableObject = {}
    put(into, 'requestBody', requestBody, first.path)
    put(requestBody, 'content', content, first.path)
    if (body) {
      const { in: _in, name: _name, schema, ...rest } = body.value
      Object.assign(requestBody, rest)
      for (const type of types.length > 0 ? types : ['application/json']) {
        const media: MutableObject = {}
        put(content, type, media, body.path)
        if (schema !== undefined) media['schema'] = toSchema(schema, [...body.path, 'schema'])
      }
      return
    }
    const { encoding, isRequired, schema } = toFormSchema(fields)
    if (isRequired) requestBody['required'] = true
    const hasFile = fields.some(({ value }) => value['type'] === 'file')
    const forms = types.filter((type) => /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/iu.test(type))
    const byDefault = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
    const asJson = hasFile || forms.length === 0 ? [] : types.filter((type) => type.startsWith('application/json'))
    for (const type of [...(forms.length > 0 ? forms : [byDefault]), ...asJson]) {
      const isMultipart = type.startsWith('multipart')
      const hasEncoding = !isMultipart && !asJson.includes(type) && Object.keys(encoding).length > 0
      put(content, type, { schema, ...(hasEncoding ? { encoding } : {}) }, first.path)
      for (const { path, value } of isMultipart ? fields : [])
        if (value['type'] === 'array' && value['collectionFormat'] !== 'multi')
          note(path, 'is read as a part for each item, as in every multipart form of OpenAPI 3')
    }
  }

  function toFormSchema(fields: readonly Located[]): { schema: JsonObject; encoding: JsonObject; isRequired: boolean } {
    const properties: MutableObject = {}
    const encoding: MutableObject = {}
    for (const { path, value } of fields) {
      const name = String(value['name'])
      const { collectionFormat, description, ...rest } = value
      const [schema] = splitSchema(rest)
      const described = description === undefined ? schema : { description, ...schema }
      put(properties, name, toSchema(described, [...path, 'schema']), path)
      if (schema['type'] === 'array') encoding[name] = styleOf(collectionFormat, 'formData', path)
    }
    const required = fields.filter(({ value }) => value['required'] === true).map(({ value }) => value['name'])
    const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
    return { schema, encoding, isRequired: required.length > 0 }
  }

  function toResponse(response: unknown, path: Path, produces?: unknown): unknown {
    if (!isObject(response)) return response
    if (typeof response['$ref'] === 'string') return { ...response, $ref: pointerTo(response['$ref']) }
    const { examples, headers, schema, ...rest } = response
    const into: MutableObject = { ...rest }
    if (isObject(headers))
      into['headers'] = mapProperties(headers, (header, name) => {
        if (!isObject(header)) return header
        const [own, { collectionFormat: _, ...converted }] = splitSchema(header)
        const at = [...path, 'headers', name]
        put(converted, 'schema', toSchema(own, [...at, 'schema']), at)
        return converted
      })
    if (schema === undefined) return into
    const content: MutableObject = {}
    const documented = listOf(produces ?? whole['produces']).filter((type) => typeof type === 'string')
    const shown = Object.keys(objectOf(examples)).filter((type) => type.includes('/'))
    const byDefault = objectOf(schema)['type'] === 'file' ? 'application/octet-stream' : 'application/json'
    const types = documented.length > 0 ? documented : shown.length > 0 ? shown : [byDefault]
    put(into, 'content', content, path)
    for (const type of types) {
      const media: MutableObject = { schema: toSchema(schema, [...path, 'schema']) }
      put(content, type, media, path)
      const example = valueAt(examples, [type])
      if (example !== undefined) put(media, 'example', example, [...path, 'examples', type])
    }
    return into
  }

  function toSecurityScheme(scheme: unknown): unknown {
    if (!isObject(scheme)) return scheme
    if (scheme['type'] === 'basic') return { ...scheme, type: 'http', scheme: 'basic' }
    if (scheme['type'] !== 'oauth2') return scheme
    const { flow, authorizationUrl, tokenUrl, scopes = {}, ...rest } = scheme
    const own = filterProperties({ authorizationUrl, tokenUrl, scopes }, (value) => value !== undefined)
    return { ...rest, flows: { [flowNames.get(String(flow)) ?? String(flow)]: own } }
  }

  /** @param path - That of the schema, to tell names from keywords. */
  function toSchema(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => toSchema(item, [...path, index]))
    if (!isObject(value)) return value
    const convertChild = (child: unknown, key: string): unknown =>
      isData(key, path, child) ? child : toSchema(child, [...path, key])
    const into: MutableObject = { ...objectOf(mapProperties(value, convertChild)) }
    if (hasNames(path)) return into
    const { $ref: reference, discriminator, type } = value
    // A schema that refers to a parameter means the schema of it.
    if (typeof reference === 'string')
      into['$ref'] = pointerTo(reference).replace(/^#\/components\/parameters\/[^/]+$/u, '$&/schema')
    if (typeof discriminator === 'string') into['discriminator'] = { propertyName: discriminator }
    if (type === 'file') Object.assign(into, { type: 'string', format: 'binary' })
    if (value['x-nullable'] === true) into['nullable'] = true
    delete into['collectionFormat']
    return into
  }

  const { swagger: _, ...document } = whole
  const { host, basePath, schemes, consumes: _consumes, produces: _produces, ...others } = document
  const { definitions, parameters, responses, securityDefinitions, paths, ...rest } = others
  const into: MutableObject = { openapi: '3.0.3', ...rest }
  origins.set(into, 'openapi', originAt(['swagger']))
  if (host !== undefined || basePath !== undefined) {
    const [scheme = 'http'] = listOf(schemes)
    const origin = typeof host === 'string' ? `${String(scheme)}://${host}` : ''
    const url = `${origin}${typeof basePath === 'string' ? basePath : ''}`
    put(into, 'servers', [{ url }], [host === undefined ? 'basePath' : 'host'])
  }
  if (paths !== undefined) into['paths'] = mapProperties(paths, (item, path) => toPathItem(item, ['paths', path]))
  const components: MutableObject = {}
  const putAll = (kind: string, from: string, given: unknown, convert: (value: unknown, path: Path) => unknown) => {
    const value = mapProperties(given, (each, name) => convert(each, [from, name]))
    if (given !== undefined) put(components, kind, value, [from])
  }
  putAll('schemas', 'definitions', definitions, toSchema)
  const shared = filterProperties(parameters, (each) => !isInBody(each))
  putAll('parameters', 'parameters', shared, toParameter)
  putAll('responses', 'responses', responses, toResponse)
  putAll('securitySchemes', 'securityDefinitions', securityDefinitions, toSecurityScheme)
  if (tokenParameter) {
    const all = { ...objectOf(components['securitySchemes']), [tokenScheme]: { type: 'http', scheme: 'bearer' } }
    put(components, 'securitySchemes', all, tokenParameter)
  }
  const converted = { ...into, ...(Object.keys(components).length > 0 ? { components } : {}) }
  return { source: origins.toSource(converted), diagnostics }
}

/** OpenAPI 3 has no header parameter Authorization, but security schemes. */
const tokenScheme = 'Authorization'
const isRequiredToken = ({ in: place, name, required }: JsonObject): boolean =>
  place === 'header' && required === true && String(name).toLowerCase() === 'authorization'

const isInBody = (parameter: unknown): boolean =>
  isObject(parameter) && (parameter['in'] === 'body' || parameter['in'] === 'formData')

/** Splits a parameter or a header into its schema and the rest. */
function splitSchema(value: JsonObject): readonly [schema: JsonObject, rest: JsonObject] {
  const keep = (isSchema: boolean): JsonObject =>
    Object.fromEntries(Object.entries(value).filter(([key]) => parameterKeys.test(key) !== isSchema))
  return [keep(true), keep(false)]
}

/** Keeps the first of each name: an operation's own parameters come before those of its path item. */
const uniqueByName = (fields: readonly Located[]): readonly Located[] =>
  fields.filter(({ value }, index) => fields.findIndex((other) => other.value['name'] === value['name']) === index)
