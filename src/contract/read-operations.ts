/** Reads the operations of a spec, with their schemas, examples, places and credentials. */
import { isObject, type JsonObject, listOf, objectAt, objectOf, textOf } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import type { Source } from '../documents/source.js'
import { once, withLazy } from '../once.js'
import { isSecretName } from '../redaction.js'
import type { BodyContent, Content, DocumentedResponse, Operation, Override, Parameter } from './contract.js'
import { documentedMethods, hasNoBody, operationName, responseOverrideOf } from './contract.js'
import { generateMinimalValue } from './generate.js'
import { isJson } from './media-types.js'
import { ruleOf } from './parameters/parameter-messages.js'
import { asQueryParameter, isFormInQuery } from './parameters/parameter-styles.js'
import type { ConvertSchema } from './prism/index.js'
import { examplesAt, Cursor } from './references.js'
import { withExample } from './schemas/schema-of-example.js'
import { findSecretNames, isPassword, isSecretParameter } from './secrets.js'
import { credentialPlacesOf, readSecurity, type SecurityScheme } from './security.js'

interface OperationSource {
  readonly convert: ConvertSchema
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>
  /** The spec without references. It may contain cycles. */
  readonly document: JsonObject
  /** The spec with its references. */
  readonly referring: unknown
  readonly locate: Source['locate']
  /** Lists the names of the examples of a documented status. Called when they are first needed. */
  readonly exampleNames: (operation: Operation, status: string) => readonly string[]
}

/** Reads the operations of a spec, in its order. Nothing is compiled. */
export function readOperations(source: OperationSource): readonly Operation[] {
  const { document } = source
  const paths = Cursor.top(source.referring).at('paths')
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) => {
    if (!isObject(item)) return []
    return documentedMethods(item).flatMap(({ isServed, method, path: inItem }) => {
      const described = valueAt(item, inItem)
      if (!isServed || !isObject(described)) return []
      const itemAt = paths.at(path)
      const operationAt = inItem.reduce((at, key) => at.at(key), itemAt)
      const at = ['paths', path, ...inItem]
      return readOperation({ method, path, at, item, described, itemAt, operationAt }, source)
    })
  })
}

/** An operation in its spec, without references and with them. */
interface Described extends Pick<Operation, 'at' | 'described' | 'method' | 'path'> {
  readonly item: JsonObject
  readonly itemAt: Cursor
  readonly operationAt: Cursor
}

function readOperation(given: Described, source: OperationSource): Operation {
  const { at, described, itemAt, method, operationAt, path } = given
  const { convert, document, exampleNames, locate, securitySchemes } = source
  const access = readSecurity(document, described, securitySchemes)
  const parameters = readParameters(given, (schema) => convert(schema, 'request'))
  const responses = Object.entries(objectAt(described, 'responses'))
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, response]) => {
      const contents = hasNoBody(Number(status)) ? [] : contentsOf(response, status)
      const headers = Object.keys(objectAt(response, 'headers')).map((name) => name.toLowerCase())
      const examples = (): readonly string[] => exampleNames(operation, status)
      const requiredHeaders = () => requiredHeadersOf(document, response)
      const override = itemOverride(operationAt.at('responses'), status)
      return withLazy({ status, contents, headers, override }, { examples, requiredHeaders })
    })
  const usual =
    responses.find((each) => responseOverrideOf(each).includes('usual')) ??
    responses.find(({ status }) => status.startsWith('2'))
  const success = usual?.status ?? (responses.some(({ status }) => status === 'default') ? '200' : '204')
  const credentialPlaces = credentialPlacesOf(access.security)
  const hasSecretRequest = hasSecretContent(described['requestBody'])
  const documentsSecrets = (): boolean =>
    hasSecretRequest ||
    parameters.some(({ in: place, isSecret }) => isSecret && place !== 'cookie') ||
    credentialPlaces.some(({ in: place, name }) => place !== 'cookie' && name.toLowerCase() !== 'authorization') ||
    findSecretNames(described, isSecretName).size > 0
  const summary = textOf(described['summary'])
  const known = {
    id: operationName(described['operationId'], method, path),
    method,
    path,
    at,
    summary,
    text: `${summary.replace(/\.\s*$/u, '')}. ${textOf(described['description'])}`.replaceAll(/\s+/gu, ' '),
    described,
    parameters,
    requestBody: readRequestBody(described['requestBody'], convert),
    responses,
    successStatus: success === '2XX' ? 200 : Number(success),
    ...access,
    credentialPlaces,
    hasSecretRequest,
    hasSecretResponse: Object.values(objectAt(described, 'responses')).some(hasSecretContent),
    override: overrideOf(operationAt),
    pathOverride: overrideOf(itemAt),
  }
  const operation: Operation = withLazy(known, { place: () => locate(at, 'key'), documentsSecrets })
  return operation
}

function overrideOf({ path, value }: Pick<Cursor, 'path' | 'value'>): Override | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'x-double')) return undefined
  return { value: value['x-double'], path: [...path, 'x-double'] }
}

/** Tells whether a request body or a response is a password, or contains one without a name. */
const hasSecretContent = (described: unknown): boolean => contentsOf(described).some(({ schema }) => isPassword(schema))

/** @param status - Of a response: what only its example shows counts as described. */
const contentsOf = (holder: unknown, status?: string): readonly Content[] =>
  Object.entries(objectAt(holder, 'content')).map(([mediaType, media]) => {
    const schema = objectAt(media, 'schema')
    const example = (): unknown => examplesAt(Cursor.top(media))[0]
    const isShown = status !== undefined && isJson(mediaType)
    return { mediaType, schema: isShown ? withExample(schema, example, !status.startsWith('2')) : schema }
  })

function readRequestBody(body: unknown, convert: ConvertSchema): Operation['requestBody'] {
  if (!isObject(body)) return undefined
  const contents = contentsOf(body).map((content): BodyContent => {
    const media = objectAt(objectAt(body, 'content'), content.mediaType)
    const requestSchema = (): unknown => convert(media['schema'] ?? {}, 'request')
    return withLazy({ ...content, encoding: objectAt(media, 'encoding') }, { requestSchema })
  })
  return { required: body['required'] === true, contents }
}

/** Writes the value of a header field. An empty one would count as missing, so it is the name in lower case. */
export const fieldOf = (name: string, value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)) || name.toLowerCase()

/** The values of the required headers of a response. The double creates `Location` and the fields of the body itself. */
function requiredHeadersOf(document: JsonObject, response: unknown): DocumentedResponse['requiredHeaders'] {
  const required = Object.entries(objectAt(response, 'headers')).filter(
    ([name, header]) => objectOf(header)['required'] === true && !/^(?:location|content-(?:type|length))$/iu.test(name),
  )
  const values = required.map(([name, header]) => {
    const value = examplesAt(Cursor.top(header))[0] ?? generateMinimalValue(document, objectAt(header, 'schema'))
    return [name.toLowerCase(), fieldOf(name, value)]
  })
  return Object.fromEntries(values)
}

/** The header parameters that OpenAPI ignores. */
const ignoredHeaders = /^(?:accept|authorization|content-type)$/iu

const places = ['path', 'query', 'header', 'cookie'] as const
const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple', 'label', 'matrix'] as const

function readParameters({ described, item, itemAt, operationAt }: Described, convert: (schema: unknown) => unknown) {
  const byKey = new Map<string, Parameter>()
  // Parameters of the operation come last and override those of the path item.
  for (const [holder, at] of [[item, itemAt] as const, [described, operationAt] as const])
    for (const [index, listed] of listOf(holder['parameters']).entries()) {
      if (!isObject(listed)) continue
      const parameter = readParameter(listed, convert, itemOverride(at.at('parameters'), index))
      const isIgnored = parameter?.in === 'header' && ignoredHeaders.test(parameter.name)
      if (parameter && !isIgnored) byKey.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  return [...byKey.values()].toSorted((a, b) => places.indexOf(a.in) - places.indexOf(b.in))
}

/** The `x-double` of a parameter or a response: next to its reference, else at the target. */
const itemOverride = (holder: Cursor, key: Segment): Override | undefined =>
  overrideOf({ path: [...holder.path, key], value: valueAt(holder.value, [key]) }) ?? overrideOf(holder.at(key))

function readParameter(listed: JsonObject, convert: (schema: unknown) => unknown, override: Override | undefined) {
  const parameter = listed['in'] === 'querystring' && isFormInQuery(listed) ? asQueryParameter(listed) : listed
  const place = places.find((known) => known === parameter['in'])
  if (!place) return undefined
  const [content] = Object.entries(objectAt(parameter, 'content'))
  const holder = content ? content[1] : parameter
  const requestSchema = once(() => convert(objectOf(holder)['schema']) ?? {})
  const documented = styles.find((known) => known === parameter['style'])
  const style = documented ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const { example, explode } = parameter
  const schema = objectAt(holder, 'schema')
  const isNamedSecret = place !== 'path' && isSecretName(String(parameter['name']))
  const isHidden = place === 'cookie' || isNamedSecret || isSecretParameter(parameter)
  const read = {
    name: String(parameter['name']),
    in: place,
    required: parameter['required'] === true,
    description: textOf(parameter['description'] ?? objectAt(parameter, 'schema')['description']),
    allowEmptyValue: place === 'query' && parameter['allowEmptyValue'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
    mediaType: content?.[0],
    // A generated value of a path parameter is that of its example.
    schema: place === 'path' && example !== undefined ? { ...schema, example } : schema,
    isSecret: isHidden || isSecretName(String(parameter['name'])),
    isHidden,
    override,
  }
  return withLazy(read, { requestSchema, rule: () => ruleOf(requestSchema()) })
}
