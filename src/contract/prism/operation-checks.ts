/** Validates the messages of an operation, and values, with Prism. */
import { transformOas3Operations } from '@stoplight/http-spec/oas3/operation'
// The validators are imported by their files: the entry point of the package loads 2,000 more files for mocking.
import { validateInput, validateOutput } from '@stoplight/prism-http/dist/validator/index.js'
import { validate as validateHeaders } from '@stoplight/prism-http/dist/validator/validators/headers.js'
import { ValidationContext } from '@stoplight/prism-http/dist/validator/validators/types.js'
import { validateAgainstSchema } from '@stoplight/prism-http/dist/validator/validators/utils.js'

import { isObject, type JsonObject } from '../../documents/object.js'
import { once } from '../../once.js'
import { runAgainWithTimeLimit, TimeLimitError } from '../../run-with-time-limit.js'
import type { BodyContent, Content, Json, Operation, OperationResponse, ParameterPlaces } from '../contract.js'
import { documentedResponse, hasNoBody } from '../contract.js'
import { coversMediaType, isEnforced, pickMediaType } from '../media-types.js'
import { patternLimitMs, mayTakeExponentialTime } from '../schemas/patterns.js'
import { objectsIn } from '../schemas/read-schema.js'
import { breakCycles, definitionsKey, referencedDefinitions } from './break-cycles.js'
import {
  correctNumberValidation,
  createSchemaCompiledCheck,
  markerValue,
  uncompiled,
  withMarkerRefused,
  countValues,
  createFindFirstError,
  isLarge,
  haveNewKeywords,
  intern,
  internSchema,
} from './compile-schemas.js'
import { combinedBodyMediaType, createSchemaConverter, rewriteOperation } from './rewrite-operation.js'
import type { MessageKind, SchemaError } from './schema-errors.js'
import { fromCombinedBody, notValidated, readDiagnostics, schemaErrorsOf } from './schema-errors.js'

export type PrismOperation = Parameters<typeof validateInput>[0]['resource']
type PrismRequest = Parameters<typeof validateInput>[0]['element']
type PrismSchema = Parameters<typeof validateAgainstSchema>[1]
type PrismContents = NonNullable<PrismOperation['responses'][number]['contents']>

correctNumberValidation()

/** Reads an operation with Prism. It gets the definitions that its schemas refer to. @param rewritten - A spec with this operation only. */
export function toPrismOperation(rewritten: JsonObject): PrismOperation {
  const { definitions, document } = breakCycles(rewritten)
  const [operation] = transformOas3Operations(document)
  if (!operation) throw new TypeError('the spec has no operation')
  const used = referencedDefinitions(operation, definitions)
  return internSchemas(
    Object.keys(used).length > 0 ? Object.assign(operation, { [definitionsKey]: intern(used) }) : operation,
  )
}

export type ValueCheck = (value: unknown) => SchemaError[]

/** Compiles a schema, to validate values like response bodies. @param openapi - The version of its spec. */
export function createValueCheck(schema: JsonObject, openapi: unknown): ValueCheck {
  const described = { responses: { 200: { description: '', content: { 'application/json': { schema } } } } }
  const convert = createSchemaConverter(openapi, { hasDateTimePattern: true })
  const operation = { described, method: 'GET', parameters: [], path: '/', requestBody: undefined } as const
  const prism = toPrismOperation(rewriteOperation(operation, openapi, convert))
  const converted = prism.responses[0]?.contents?.[0]?.schema
  if (!isObject(converted)) throw new TypeError('Prism has not read the schema')
  const check = checkBody('response', prism, withMarkerRefused(converted))
  const checkWithinTime = withPatternLimit('The value', [converted, bundleOf(prism)], check)
  const isCompiled = createSchemaCompiledCheck()
  return (value) => (isCompiled('', () => check(markerValue)) ? checkWithinTime(value) : [uncompiled('response')])
}

function checkBody(side: MessageKind, prism: PrismOperation, schema: PrismSchema): ValueCheck {
  const context = side === 'request' ? ValidationContext.Input : ValidationContext.Output
  const { [definitionsKey]: bundled } = bundleOf(prism)
  return (value) => {
    const found = validateAgainstSchema(value, schema, false, context, 'body', bundled)
    return found._tag === 'None' ? [] : readDiagnostics(found.value)
  }
}

/** Validates like Prism, without its slow selection of the content. Undefined for `allOf`, which Prism prepares. */
const createBodyCheck = (side: MessageKind, prism: PrismOperation, schema: unknown): ValueCheck | undefined =>
  isObject(schema) && !hasAllOf(schema) ? checkBody(side, prism, schema) : undefined

interface DecodedRequest extends ParameterPlaces {
  readonly body?: Json
  readonly content: BodyContent | undefined
}

/** Validates the messages of an operation. A schema is compiled when it first validates a value. */
export type OperationChecks = ReturnType<typeof createOperationChecks>

/** Creates the validation of an operation. @param onCompiled - Called for each schema that is compiled. */
export function createOperationChecks(prism: PrismOperation, operation: Operation, onCompiled: () => void) {
  const isCompiled = createSchemaCompiledCheck(onCompiled)
  const checkRequest = createRequestCheck(prism)
  const { checkResponse, hasSchema } = createResponseCheck(prism)
  return {
    checkRequest: ({ content, ...body }: DecodedRequest): SchemaError[] => {
      const mediaType = combinedBodyMediaType(operation.requestBody?.contents ?? [], content)
      const isReady = isCompiled(mediaType, () => checkRequest.now({ mediaType, body: markerValue }))
      return isReady ? checkRequest.withinTime({ mediaType, body }).map(fromCombinedBody) : [uncompiled('request')]
    },
    checkResponse: (response: OperationResponse): SchemaError[] => {
      const documented = documentedResponse(operation, response.status)
      const code = documented?.status ?? ''
      const mediaType = uniqueMediaTypeOf(documented?.contents ?? [], response.mediaType)
      const message = { code, response: { ...response, mediaType } }
      const checkMarker = (): SchemaError[] =>
        checkResponse.now({ code, response: { ...message.response, body: markerValue } })
      const isChecked = response.body !== undefined && hasSchema(code, mediaType)
      if (isChecked && !isCompiled(`${code} ${mediaType}`, checkMarker)) return [uncompiled('response')]
      return checkResponse.withinTime(message)
    },
  }
}

/** A validation, without and with a limit of time. Compiling a schema may take longer than the limit. */
interface TimedCheck<Message> {
  now(message: Message): SchemaError[]
  withinTime(message: Message): SchemaError[]
}

/** Validates combined bodies by their media types. */
function createRequestCheck(
  prism: PrismOperation,
): TimedCheck<{ readonly mediaType: string; readonly body: Omit<DecodedRequest, 'content'> | string }> {
  const { request } = prism
  const contents = withMarkersRefused(request?.body?.contents)
  const input = request?.body ? { ...prism, request: { ...request, body: { ...request.body, contents } } } : prism
  const checks = new Map(
    contents.map(({ mediaType, schema }) => {
      const findFirst = createFindFirstError({ ...schema, ...bundleOf(prism) })
      return [mediaType, { findFirst, check: createBodyCheck('request', prism, schema) }] as const
    }),
  )
  const now = (mediaType: string, body: unknown): SchemaError[] =>
    checks.get(mediaType)?.check?.(body) ??
    schemaErrorsOf('request', () =>
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
  return {
    now: ({ body, mediaType }) => now(mediaType, body),
    withinTime: withPatternLimit('The request', [contents, bundleOf(prism)], ({ body, mediaType }) => {
      const first = typeof body === 'object' && isLarge(body.body) ? checks.get(mediaType)?.findFirst(body) : undefined
      return first ? [first] : now(mediaType, body)
    }),
  }
}

/** A response, and its documented status. */
interface CodedResponse {
  readonly code: string
  readonly response: OperationResponse
}

/** Validates responses, whose media types are unique. */
function createResponseCheck(prism: PrismOperation) {
  const responses = prism.responses.map((each) => ({ ...each, contents: withMarkersRefused(enforcedContents(each)) }))
  const output = { ...prism, responses }
  const documented = new Map(
    output.responses.map(({ code, contents, headers = [] }) => {
      const checks = contents.map(({ mediaType, schema }) => {
        return [mediaType, { schema, check: createBodyCheck('response', prism, schema) }] as const
      })
      return [code, { headers, contents: new Map(checks) }] as const
    }),
  )
  const now = ({ code, response: { body, headers: fields, mediaType, status } }: CodedResponse): SchemaError[] => {
    const headers = body === undefined ? fields : { ...fields, 'content-type': mediaType }
    const { contents, headers: known = [] } = documented.get(code) ?? {}
    const check = body === undefined ? undefined : contents?.get(mediaType)?.check
    if (!check)
      return schemaErrorsOf('response', () =>
        validateOutput({ resource: output, element: { statusCode: status, headers, body } }),
      )
    if (known.length === 0) return check(body)
    const bundled = bundleOf(prism)[definitionsKey]
    return [
      ...check(body),
      ...schemaErrorsOf('response', () => validateHeaders(headers, known, ValidationContext.Output, bundled)),
    ]
  }
  return {
    checkResponse: { now, withinTime: withPatternLimit('The value', [output.responses, bundleOf(prism)], now) },
    hasSchema: (code: string, mediaType: string): boolean =>
      Boolean(documented.get(code)?.contents.get(mediaType)?.schema),
  }
}

/**
 * Limits the time of a validation, if its schemas have a pattern that may take exponential time. Other validations cost nothing more. The
 * schemas must have been compiled before, because compiling may take longer. @param schemas - Any value that contains the schemas.
 */
function withPatternLimit<Message>(
  subject: 'The request' | 'The value',
  schemas: unknown,
  validate: (message: Message) => SchemaError[],
): (message: Message) => SchemaError[] {
  const find = once(() => findSlowPatterns(schemas))
  return (message) => {
    const patterns = find()
    if (patterns.length === 0) return validate(message)
    const limitMs = patternLimitMs + Math.floor(countValues(message) / 1000)
    try {
      return runAgainWithTimeLimit(limitMs, () => validate(message))
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error
      const text = `${subject} cannot be validated within ${limitMs} ms, because ${patterns.length === 1 ? 'the pattern' : 'one of the patterns'} ${patterns.join(', ')} takes exponential time for it`
      return [notValidated([], 'pattern', text)]
    }
  }
}

/** Finds the patterns of schemas, at any depth, that may take exponential time. */
function findSlowPatterns(schemas: unknown): readonly string[] {
  const found = new Set<string>()
  for (const { pattern, patternProperties } of objectsIn(schemas)) {
    const own = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])]
    for (const each of own) if (typeof each === 'string' && mayTakeExponentialTime(each)) found.add(each)
  }
  return [...found]
}

const withMarkersRefused = (contents: PrismContents = []): PrismContents =>
  contents.map((content) =>
    isObject(content.schema) ? { ...content, schema: withMarkerRefused(content.schema) } : content,
  )

/** Tells whether a schema contains `allOf`, at any depth. */
function hasAllOf(schema: JsonObject): boolean {
  for (const object of objectsIn(schema)) if (Object.hasOwn(object, 'allOf')) return true
  return false
}

/** Returns the enforced contents of a response, each with a unique media type: Prism confuses `a+json` with `b+json`, and parameters. */
function enforcedContents({ code, contents = [] }: PrismOperation['responses'][number]): PrismContents {
  if (hasNoBody(Number(code))) return []
  return contents.map(({ mediaType, schema, ...content }, index) => ({
    ...content,
    mediaType: uniqueMediaType(index),
    ...(schema !== undefined && isEnforced(mediaType, schema) && { schema }),
  }))
}

const uniqueMediaType = (index: number): string => `application/x-response-${index}`

function uniqueMediaTypeOf(contents: readonly Content[], mediaType: string): string {
  const documented = contents.map((content) => content.mediaType)
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

const contentsOf = ({ request, responses }: PrismOperation): PrismContents => [
  ...responses.flatMap((response) => response.contents ?? []),
  ...(request?.body?.contents ?? []),
]

const bundleOf = (prism: PrismOperation): JsonObject =>
  definitionsKey in prism ? { [definitionsKey]: prism[definitionsKey] } : {}
