/**
 * Adapts Prism. This is the only file that imports its packages.
 *
 * It imports the two validators by their files, because the entry point of the package loads 2,000 more files for mocking. Those are loaded
 * when the first mocked response needs them.
 */
import { transformOas3Operations } from '@stoplight/http-spec/oas3/operation'
import {
  stripReadOnlyProperties,
  stripWriteOnlyProperties,
} from '@stoplight/prism-http/dist/utils/filterRequiredProperties.js'
import { validateInput, validateOutput } from '@stoplight/prism-http/dist/validator/index.js'
import { ValidationContext } from '@stoplight/prism-http/dist/validator/validators/types.js'
import { validateAgainstSchema } from '@stoplight/prism-http/dist/validator/validators/utils.js'

import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { errorMessage } from '../error-message.js'
import { coversMediaType, pickMediaType } from './bodies/media-types.js'
import { createFindFirstViolation, isLarge } from './bodies/validate-large-body.js'
import type { AcyclicDocument } from './break-cycles.js'
import { breakCycles, definitionsIn, definitionsKey } from './break-cycles.js'
import { documentedResponse, isEnforced } from './check-response.js'
import type { Method, MockPreference, Operation, OperationRequest, OperationResponse, Violation } from './contract.js'
import { documentableMethods, operationName } from './contract.js'
import { generateMinimalValue } from './generate-minimal-value.js'
import type { GenerateValues } from './mock-candidates.js'
import { hasNoBody } from './mock-candidates.js'
import type { OperationChecks } from './operation-checks.js'
import type { DocumentedRequest } from './prism-document.js'
import { requestMediaType, toPrismDocument } from './prism-document.js'
import type { MessageKind } from './prism-violations.js'
import { fromCombinedBody, toViolation, violationsOf } from './prism-violations.js'
import { addDateTimePatterns } from './schemas/date-time.js'
import type { Compile } from './schemas/find-schema-error.js'
import { createCompiler, dialect2020, needs2020, intern } from './schemas/find-schema-error.js'

type PrismOperation = Parameters<typeof validateInput>[0]['resource']
type PrismRequest = Parameters<typeof validateInput>[0]['element']
type PrismSchema = Parameters<typeof validateAgainstSchema>[1]
type PrismContents = NonNullable<PrismOperation['responses'][number]['contents']>

/**
 * Reads the operations of a spec.
 *
 * @param document - A linted, dereferenced OpenAPI document. It may contain cycles.
 */
export function readOperations(document: JsonObject): OperationChecks[] {
  return [...eachOperation(document)]
}

/** Reads the operations of a spec one by one, so that the caller can pause between them. */
export function* eachOperation(document: JsonObject): Generator<OperationChecks, undefined> {
  const prismDocument = toPrismDocument(document)
  const acyclic = breakCycles(prismDocument.document)
  const compile = createCompiler()
  for (const operation of transformOas3Operations(acyclic.document)) {
    // Prism's mocker would send the callbacks.
    delete operation.callbacks
    const prism = withDefinitions(operation, acyclic)
    yield createChecks(prism, prismDocument.requests.get(`${prism.method.toUpperCase()} ${prism.path}`), compile)
  }
}

/** Returns an operation with the definitions that its schemas refer to. */
function withDefinitions(operation: PrismOperation, { definitions }: AcyclicDocument): PrismOperation {
  const used = definitionsIn(operation, definitions)
  return internSchemas(Object.keys(used).length > 0 ? Object.assign(operation, { [definitionsKey]: used }) : operation)
}

/** Validates a value against a schema. Locations start with the message and `body`. */
export type ValueCheck = (value: unknown) => Violation[]

/**
 * Compiles a schema, to validate values like responses.
 *
 * @param document - A document with one operation, whose response has the schema.
 */
export function createValueCheck(document: JsonObject): ValueCheck {
  const prismDocument = toPrismDocument(document).document
  // Its schemas are copies, so this does not change the given ones.
  addDateTimePatterns(prismDocument)
  const acyclic = breakCycles(prismDocument)
  const [operation] = transformOas3Operations(acyclic.document)
  const prism = operation && withDefinitions(operation, acyclic)
  const schema = prism?.responses[0]?.contents?.[0]?.schema
  if (!prism || !schema) throw new TypeError('the document has no response with a schema')
  const reason = findUncompilable(prism, createCompiler())
  if (reason !== undefined) throw new TypeError(`a schema does not compile: ${reason}`)
  return checkBody('response', prism, schema)
}

function checkBody(side: MessageKind, prism: PrismOperation, schema: PrismSchema): ValueCheck {
  const context = side === 'request' ? ValidationContext.Input : ValidationContext.Output
  const { __bundled__: bundled } = bundleOf(prism)
  return (value) => {
    const found = validateAgainstSchema(value, schema, false, context, 'body', bundled)
    return found._tag === 'None' ? [] : found.value.map((diagnostic) => toViolation(side, diagnostic))
  }
}

function createChecks(
  prism: PrismOperation,
  documented: DocumentedRequest | undefined,
  compile: Compile,
): OperationChecks {
  const operation = toOperation(prism, documented)
  const withUniqueTypes = withUniqueMediaTypes(withoutUnenforced(prism))
  const findFirstByType = new Map(
    (prism.request?.body?.contents ?? []).map(({ mediaType, schema }) => [
      mediaType,
      createFindFirstViolation({ ...schema, ...bundleOf(prism) }),
    ]),
  )
  const requestChecks = new Map(
    (prism.request?.body?.contents ?? []).map(({ mediaType, schema }) => [
      mediaType,
      createSchemaCheck(prism, schema, 'request'),
    ]),
  )
  const responseChecks = new Map(
    withUniqueTypes.responses.map(({ code, contents = [], headers = [] }) => [
      code,
      headers.length > 0
        ? undefined
        : new Map(contents.map(({ mediaType, schema }) => [mediaType, createSchemaCheck(prism, schema, 'response')])),
    ]),
  )
  return {
    operation,
    checkRequest: ({ content, ...body }) => {
      const mediaType = requestMediaType(operation.requestBody?.contents ?? [], content)
      const first = isLarge(body.body) ? findFirstByType.get(mediaType)?.(body) : undefined
      if (first) return [fromCombinedBody(first)]
      const check = requestChecks.get(mediaType)
      if (check) return check(body).map(fromCombinedBody)
      return violationsOf('request', () =>
        validateInput({
          resource: prism,
          element: {
            method: prism.method as PrismRequest['method'],
            url: { path: '' },
            headers: {
              'content-type': mediaType,
              'content-length': '1',
            },
            body,
          },
        }),
      ).map(fromCombinedBody)
    },
    documented: (status) => prism.responses.find(({ code }) => code === status) ?? {},
    generateMinimal: (schema) => [generateMinimalValue(prism, schema)],
    loadGenerator: () => loadGenerator(prism),
    checkResponse: ({ body, headers, mediaType, status }) => {
      const contentType = uniqueMediaTypeOf(operation, status, mediaType)
      const code = documentedResponse(operation, status)?.status ?? ''
      const check = body === undefined ? undefined : responseChecks.get(code)?.get(contentType)
      if (check) return check(body)
      return violationsOf('response', () =>
        validateOutput({
          resource: withUniqueTypes,
          element: {
            statusCode: status,
            headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
            body,
          },
        }),
      )
    },
    mockResponse: (request, preference) => mock(prism, request, preference),
    findUncompilable: () => findUncompilable(prism, compile),
  }
}

/**
 * Creates a function that validates bodies like Prism, but without Prism's selection of the content, which takes ten times as long as the
 * validation.
 *
 * @returns Undefined for a schema with `allOf`, which Prism itself has to prepare.
 */
function createSchemaCheck(prism: PrismOperation, schema: unknown, side: MessageKind): ValueCheck | undefined {
  if (!isObject(schema) || hasAllOf(schema)) return undefined
  const stripped = side === 'request' ? stripReadOnlyProperties(schema) : stripWriteOnlyProperties(schema)
  return stripped._tag === 'None' ? () => [] : checkBody(side, prism, stripped.value)
}

/** Tells whether a schema contains `allOf`, at any depth. */
function hasAllOf(schema: JsonObject): boolean {
  const known = new Set<unknown>([schema])
  for (const value of known) {
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, 'allOf')) return true
    for (const inner of Object.values(value)) known.add(inner)
  }
  return false
}

/** Gives each content of a response a unique media type. Prism confuses `a+json` with `b+json`, and media types that differ in parameters. */
const withUniqueMediaTypes = (prism: PrismOperation): PrismOperation => ({
  ...prism,
  responses: prism.responses.map((response) => ({
    ...response,
    contents: (response.contents ?? []).map((content, index) => ({ ...content, mediaType: uniqueMediaType(index) })),
  })),
})

const uniqueMediaType = (index: number): string => `application/x-response-${index}`

function uniqueMediaTypeOf(operation: Operation, status: number, mediaType: string): string {
  const documented = documentedResponse(operation, status)?.mediaTypes ?? []
  const exact = pickMediaType(documented, mediaType)
  const index = exact === -1 ? documented.findIndex((each) => coversMediaType(each, mediaType)) : exact
  return index === -1 ? mediaType : uniqueMediaType(index)
}

function toOperation(prism: PrismOperation, documented: DocumentedRequest | undefined): Operation {
  const responses = prism.responses.map(({ code, contents }) => ({
    status: code,
    mediaTypes: hasNoBody(Number(code)) ? [] : (contents ?? []).map((content) => content.mediaType),
    examples: [...new Set((contents ?? []).flatMap(({ examples = [] }) => examples.map(({ key }) => key)))],
  }))
  const hasDefault = responses.some(({ status }) => status === 'default')
  const success = responses.find(({ status }) => status.startsWith('2'))?.status ?? (hasDefault ? '200' : '204')
  return {
    id: operationName(prism.iid, prism.method, prism.path),
    method: toMethod(prism.method),
    path: prism.path,
    summary: prism.summary ?? '',
    parameters: documented?.parameters ?? [],
    requestBody: documented?.requestBody,
    responses,
    successStatus: success === '2XX' ? 200 : Number(success),
    security: documented?.security ?? [],
    secured: documented?.secured ?? false,
    scopes: documented?.scopes ?? [],
  }
}

function toMethod(name: string): Method {
  const method = documentableMethods.find((known) => known === name.toUpperCase())
  if (!method) throw new TypeError(`${name} is not a method`)
  return method
}

function internSchemas(prism: PrismOperation): PrismOperation {
  const isBundle2020 = '__bundled__' in prism && isObject(prism.__bundled__) && needs2020(prism.__bundled__)
  for (const content of contentsOf(prism)) {
    if (!isObject(content.schema)) continue
    const { schema } = content
    content.schema = intern(isBundle2020 || needs2020(schema) ? { ...schema, $schema: dialect2020 } : schema)
  }
  // Prism compiles the list of header fields as one schema.
  for (const response of prism.responses) if (response.headers) response.headers = intern(response.headers)
  return prism
}

/** Removes the content of responses without a body, and the schemas that are not enforced. */
function withoutUnenforced(prism: PrismOperation): PrismOperation {
  const responses = prism.responses.map((response) => {
    if (hasNoBody(Number(response.code))) return { ...response, contents: [] }
    const contents = (response.contents ?? []).map(({ schema, ...content }) =>
      schema !== undefined && isEnforced(content.mediaType, schema) ? { ...content, schema } : content,
    )
    return { ...response, contents }
  })
  return { ...prism, responses }
}

const contentsOf = ({ request, responses }: PrismOperation): PrismContents => [
  ...responses.flatMap((response) => response.contents ?? []),
  ...(request?.body?.contents ?? []),
]

/** Returns the definitions that the schemas of an operation refer to. */
const bundleOf = (prism: PrismOperation): JsonObject =>
  '__bundled__' in prism ? { __bundled__: prism.__bundled__ } : {}

/** Returns the reason why a schema of an operation does not compile. Undefined if all compile. */
function findUncompilable(prism: PrismOperation, compile: Compile): string | undefined {
  const headers = prism.responses.flatMap((response) => response.headers ?? [])
  const { [definitionsKey]: bundled } = bundleOf(prism)
  const definitions = isObject(bundled) ? bundled : {}
  // Each definition is compiled once, with empty ones in place of those that it refers to. All of them together would be compiled for
  // each schema that refers to one.
  const empty = { [definitionsKey]: Object.fromEntries(Object.keys(definitions).map((name) => [name, {}])) }
  const schemas = [...[...contentsOf(prism), ...headers].map(({ schema }) => schema), ...Object.values(definitions)]
  return schemas
    .filter(isObject)
    .map((schema) => compile({ ...schema, ...empty }))
    .find((reason) => reason !== undefined)
}

/** A logger that writes nothing. */
const silent = {
  child: () => silent,
  info: ignore,
  success: ignore,
  warn: ignore,
  error: ignore,
  debug: ignore,
  trace: ignore,
  fatal: ignore,
}
function ignore(): void {}

/** Loads Prism's generator. It generates optional properties too, but not always valid ones. */
async function loadGenerator(prism: PrismOperation): Promise<GenerateValues> {
  const { generateStatic } = await import('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js')
  return (schema) => {
    const result = generateStatic(prism, schema as Parameters<typeof generateStatic>[1])
    return result._tag === 'Right' ? [result.right] : []
  }
}

async function mock(
  prism: PrismOperation,
  request: OperationRequest,
  preference: MockPreference,
): Promise<OperationResponse | string> {
  const { default: generator } = await import('@stoplight/prism-http/dist/mocker/index.js')
  const accept = request.headers['accept']
  const config = {
    dynamic: preference.dynamic ?? false,
    ...(preference.code === undefined ? {} : { code: preference.code }),
    ...(preference.example === undefined ? {} : { exampleKey: preference.example }),
  }
  const data = {
    method: prism.method as PrismRequest['method'],
    url: { path: prism.path },
    headers: accept === undefined ? {} : { accept },
  }
  let result: ReturnType<ReturnType<typeof generator.default>>
  try {
    result = generator.default({ resource: prism, input: { data, validations: [] }, config })(silent)
  } catch (error) {
    return `Prism cannot mock the response (${errorMessage(error)})`
  }
  if (result._tag === 'Left') return result.left.message.split('\n')[0] ?? ''
  const { statusCode, headers = {}, body } = result.right
  if (preference.code !== undefined && statusCode !== preference.code) {
    return `there is no example ${JSON.stringify(preference.example)} for status ${preference.code}`
  }
  const byName = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const { 'content-type': mediaType = 'application/json', ...others } = Object.fromEntries(byName)
  return { status: statusCode, headers: others, mediaType, body }
}
