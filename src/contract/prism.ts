/**
 * Adapts Prism. This is the only file that imports its packages.
 *
 * It imports the two validators by their files, because the entry point of the package loads 2,000 more files for mocking. Those are loaded
 * when the first mocked response needs them.
 */
import { transformOas3Operations } from '@stoplight/http-spec/oas3/operation'
import { validateInput, validateOutput } from '@stoplight/prism-http/dist/validator/index.js'
import { validate as validateHeaders } from '@stoplight/prism-http/dist/validator/validators/headers.js'
import { ValidationContext } from '@stoplight/prism-http/dist/validator/validators/types.js'
import { validateAgainstSchema } from '@stoplight/prism-http/dist/validator/validators/utils.js'

import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { errorMessage } from '../error-message.js'
import { once } from '../once.js'
import { createFindFirstViolation, isLarge } from './bodies/find-first-violation.js'
import { coversMediaType, pickMediaType } from './bodies/media-types.js'
import { breakCycles, referencedDefinitions, definitionsKey } from './break-cycles.js'
import { documentedResponse, isEnforced } from './check-response.js'
import type { MockPreference, Operation, OperationRequest, OperationResponse } from './contract.js'
import { hasNoBody } from './contract.js'
import { generateMinimalValue, generateResponseValue } from './generate-minimal-value.js'
import type { GenerateValues } from './mock-candidates.js'
import type { DocumentedOperation } from './prism-document.js'
import { documentedOperations, combinedBodyMediaType } from './prism-document.js'
import type { DecodedRequest, PrismFunctions } from './prism-interface.js'
import type { MessageKind } from './prism-violations.js'
import { fromCombinedBody, toViolation, violationsOf } from './prism-violations.js'
import { readOperation } from './read-operation.js'
import { correctNumberValidation } from './schemas/correct-number-validation.js'
import { addDateTimePatterns } from './schemas/date-time-pattern.js'
import {
  createSchemaCompiledCheck,
  markerValue,
  uncompiledViolation,
  withMarkerRefused,
} from './schemas/detect-uncompiled-schemas.js'
import { haveNewKeywords, intern, internSchema } from './schemas/intern.js'
import { withPatternLimit } from './schemas/slow-patterns.js'
import type { Violation } from './violation.js'

type PrismOperation = Parameters<typeof validateInput>[0]['resource']
type PrismRequest = Parameters<typeof validateInput>[0]['element']
type PrismSchema = Parameters<typeof validateAgainstSchema>[1]
type PrismContents = NonNullable<PrismOperation['responses'][number]['contents']>

correctNumberValidation()

/**
 * Reads the operations of a spec. Compiles nothing: Prism reads an operation, and compiles a schema, when it is first needed.
 *
 * @param document - A linted, dereferenced OpenAPI document. It may contain cycles.
 * @param onCompiled - Called for each schema that is compiled.
 */
export function readOperations(document: JsonObject, onCompiled?: () => void): PrismFunctions[] {
  return documentedOperations(document).map((documented) => {
    const prism = once(() => toPrismOperation(documented))
    const checks = once(() => createChecks(prism(), operation, onCompiled))
    const operation = readOperation(documented, (status) => {
      const { contents = [] } = prism().responses.find(({ code }) => code === status) ?? {}
      return [...new Set(contents.flatMap(({ examples = [] }) => examples.map(({ key }) => key)))]
    })
    return {
      operation,
      checkRequest: (request) => checks().checkRequest(request),
      documented: (status) => prism().responses.find(({ code }) => code === status) ?? {},
      generateMinimal: (schema) => [generateResponseValue(prism(), schema), generateMinimalValue(prism(), schema)],
      loadGenerator: () => loadGenerator(prism()),
      checkResponse: (response) => checks().checkResponse(response),
      mockResponse: (request, preference) => mock(prism(), request, preference),
    }
  })
}

/** Reads an operation with Prism. It gets the definitions that its schemas refer to. */
function toPrismOperation({ rewrite }: Pick<DocumentedOperation, 'rewrite'>): PrismOperation {
  const { definitions, document } = breakCycles(rewrite())
  const [operation] = transformOas3Operations(document)
  if (!operation) throw new TypeError('the spec has no operation')
  const used = referencedDefinitions(operation, definitions)
  return internSchemas(
    Object.keys(used).length > 0 ? Object.assign(operation, { [definitionsKey]: intern(used) }) : operation,
  )
}

/** Validates a value against a schema. Locations start with the message and `body`. */
export type ValueCheck = (value: unknown) => Violation[]

/**
 * Compiles a schema, to validate values like responses.
 *
 * @param document - A document with one operation, whose response has the schema.
 */
export function createValueCheck(document: JsonObject): ValueCheck {
  const [documented] = documentedOperations(document)
  const rewritten = documented?.rewrite()
  // Its schemas are copies, so this does not change the given ones.
  addDateTimePatterns(rewritten)
  const prism = rewritten && toPrismOperation({ rewrite: () => rewritten })
  const schema = prism?.responses[0]?.contents?.[0]?.schema
  if (!prism || !isObject(schema)) throw new TypeError('the document has no response with a schema')
  const check = checkBody('response', prism, withMarkerRefused(schema))
  const checkWithinTime = withPatternLimit('response', [schema, bundleOf(prism)], check)
  const isCompiled = createSchemaCompiledCheck()
  return (value) =>
    isCompiled('', () => check(markerValue)) ? checkWithinTime(value) : [uncompiledViolation('response')]
}

function checkBody(side: MessageKind, prism: PrismOperation, schema: PrismSchema): ValueCheck {
  const context = side === 'request' ? ValidationContext.Input : ValidationContext.Output
  const { [definitionsKey]: bundled } = bundleOf(prism)
  return (value) => {
    const found = validateAgainstSchema(value, schema, false, context, 'body', bundled)
    return found._tag === 'None' ? [] : found.value.map((diagnostic) => toViolation(side, diagnostic))
  }
}

/** Creates the validation of an operation. A schema is compiled when it first validates a value. */
function createChecks(
  prism: PrismOperation,
  operation: Operation,
  onCompiled: (() => void) | undefined,
): Pick<PrismFunctions, 'checkRequest' | 'checkResponse'> {
  const input = withRefusedValues(prism)
  const output = withRefusedValues(withUniqueMediaTypes(withoutUnenforced(prism)))
  const contents = input.request?.body?.contents ?? []
  const findFirstByType = new Map(
    contents.map(({ mediaType, schema }) => [mediaType, createFindFirstViolation({ ...schema, ...bundleOf(prism) })]),
  )
  const requestChecks = new Map(
    contents.map(({ mediaType, schema }) => [mediaType, createSchemaCheck(prism, schema, 'request')]),
  )
  const responseSchemas = new Map(
    output.responses.map(({ code, contents: each = [] }) => [
      code,
      new Map(each.map(({ mediaType, schema }) => [mediaType, schema])),
    ]),
  )
  const responseChecks = new Map(
    output.responses.map(({ code, contents: each = [] }) => [
      code,
      new Map(each.map(({ mediaType, schema }) => [mediaType, createSchemaCheck(prism, schema, 'response')])),
    ]),
  )
  const responseHeaders = new Map(output.responses.map(({ code, headers = [] }) => [code, headers]))
  const validateBody = (mediaType: string, body: unknown): Violation[] =>
    requestChecks.get(mediaType)?.(body) ??
    violationsOf('request', () =>
      validateInput({
        resource: input,
        element: {
          method: prism.method as PrismRequest['method'],
          url: { path: '' },
          headers: { 'content-type': mediaType, 'content-length': '1' },
          body,
        },
      }),
    )
  const validateReply = (code: string, response: OperationResponse): Violation[] => {
    const { body, mediaType, status } = response
    const headers = body === undefined ? response.headers : { ...response.headers, 'content-type': mediaType }
    const check = body === undefined ? undefined : responseChecks.get(code)?.get(mediaType)
    if (!check)
      return violationsOf('response', () =>
        validateOutput({ resource: output, element: { statusCode: status, headers, body } }),
      )
    const documented = responseHeaders.get(code) ?? []
    if (documented.length === 0) return check(body)
    return [
      ...check(body),
      ...violationsOf('response', () =>
        validateHeaders(headers, documented, ValidationContext.Output, bundleOf(prism)[definitionsKey]),
      ),
    ]
  }
  const isCompiled = createSchemaCompiledCheck(onCompiled)
  const bundle = bundleOf(prism)
  const checkRequestBody = withPatternLimit(
    'request',
    [contents, bundle],
    ({ body, mediaType }: { readonly body: Omit<DecodedRequest, 'content'>; readonly mediaType: string }) => {
      const first = isLarge(body.body) ? findFirstByType.get(mediaType)?.(body) : undefined
      return first ? [first] : validateBody(mediaType, body)
    },
  )
  const checkReply = withPatternLimit(
    'response',
    [output.responses, bundle],
    ({ code, response }: { readonly code: string; readonly response: OperationResponse }) =>
      validateReply(code, response),
  )
  return {
    checkRequest: ({ content, ...body }) => {
      const mediaType = combinedBodyMediaType(operation.requestBody?.contents ?? [], content)
      if (!isCompiled(mediaType, () => validateBody(mediaType, markerValue))) return [uncompiledViolation('request')]
      return checkRequestBody({ body, mediaType }).map(fromCombinedBody)
    },
    checkResponse: (response) => {
      const mediaType = uniqueMediaTypeOf(operation, response.status, response.mediaType)
      const code = documentedResponse(operation, response.status)?.status ?? ''
      const schema = response.body === undefined ? undefined : responseSchemas.get(code)?.get(mediaType)
      const validateMarker = (): Violation[] => validateReply(code, { ...response, mediaType, body: markerValue })
      if (schema && !isCompiled(`${code} ${mediaType}`, validateMarker)) return [uncompiledViolation('response')]
      return checkReply({ code, response: { ...response, mediaType } })
    },
  }
}

/** Adds the refused value to each schema of an operation. */
function withRefusedValues(prism: PrismOperation): PrismOperation {
  const withContents = (contents: PrismContents | undefined): PrismContents =>
    (contents ?? []).map((content) =>
      isObject(content.schema) ? { ...content, schema: withMarkerRefused(content.schema) } : content,
    )
  const { request, responses } = prism
  return {
    ...prism,
    ...(request?.body && {
      request: { ...request, body: { ...request.body, contents: withContents(request.body.contents) } },
    }),
    responses: responses.map((response) => ({ ...response, contents: withContents(response.contents) })),
  }
}

/**
 * Creates a function that validates bodies like Prism, but without Prism's selection of the content, which takes ten times as long as the
 * validation.
 *
 * @returns Undefined for a schema with `allOf`, which Prism itself has to prepare.
 */
const createSchemaCheck = (prism: PrismOperation, schema: unknown, side: MessageKind): ValueCheck | undefined =>
  isObject(schema) && !hasAllOf(schema) ? checkBody(side, prism, schema) : undefined

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

function internSchemas(prism: PrismOperation): PrismOperation {
  const { [definitionsKey]: definitions } = bundleOf(prism)
  const isMarked = isObject(definitions) && haveNewKeywords(definitions)
  for (const content of contentsOf(prism))
    if (isObject(content.schema)) content.schema = internSchema(content.schema, isMarked)
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
  definitionsKey in prism ? { [definitionsKey]: prism[definitionsKey] } : {}

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
