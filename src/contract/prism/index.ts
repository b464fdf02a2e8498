/** Adapts Prism, which validates the messages of a contract and creates mocked responses, for the other folders. */
import { setSkipHashing } from '@stoplight/http-spec/hash'
import { transformOas3Operations } from '@stoplight/http-spec/oas3/operation'
// The validators are imported by their files: the entry point of the package loads 2,000 more files for mocking.
import { validate as validateBody } from '@stoplight/prism-http/dist/validator/validators/body.js'
import { validate as validateHeaders } from '@stoplight/prism-http/dist/validator/validators/headers.js'
import { ValidationContext } from '@stoplight/prism-http/dist/validator/validators/types.js'
import { validateAgainstSchema } from '@stoplight/prism-http/dist/validator/validators/utils.js'

import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { once } from '../../once.js'
import { runAgainWithTimeLimit, TimeLimitError } from '../../run-with-time-limit.js'
import type { Operation, OperationRequest, OperationResponse, ParameterPlaces } from '../contract.js'
import { documentedResponse, hasNoBody } from '../contract.js'
import { generateMinimalValue, type ValueUse } from '../generate.js'
import { coversMediaType, isEnforced, pickMediaType } from '../media-types.js'
import { patternLimitMs, mayTakeExponentialTime } from '../schemas/patterns.js'
import { objectsIn } from '../schemas/read-schema.js'
import { breakCycles, definitionsKey, referencedDefinitions } from './break-cycles.js'
import {
  correctNumberValidation,
  refusesMarker,
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

export type { ConvertSchema } from './rewrite-operation.js'
export type { SchemaError } from './schema-errors.js'

type PrismOperation = ReturnType<typeof transformOas3Operations>[number]

correctNumberValidation()
// Nobody reads the ids of what Prism reads.
setSkipHashing(true)

export type OperationMocks = ReturnType<ReturnType<typeof createPrism>['mocksOf']>

/** Prism reads an operation, and compiles a schema, when it is first needed. @param onCompiled - Called for each schema of an operation that is compiled. */
export function createPrism(openapi: unknown, onCompiled: () => void) {
  const convert = createSchemaConverter(openapi)
  const convertForMocks = createSchemaConverter(openapi, true)
  return {
    convert,
    checksOf: (operation: Operation): OperationChecks =>
      createOperationChecks(toPrismOperation(rewriteOperation(operation, openapi, convert)), operation, onCompiled),
    mocksOf: ({ described, method, path }: Operation) => {
      // Only its responses are mocked.
      const answered = { described, method, path, parameters: [], requestBody: undefined }
      const prism = once(() => toPrismOperation(rewriteOperation(answered, openapi, convertForMocks)))
      const generateAs = (...uses: readonly ValueUse[]): GenerateValues => {
        return (schema) => uses.map((use) => generateMinimalValue(prism(), schema, use))
      }
      return {
        documented: (status: string): MockSource => prism().responses.find(({ code }) => code === status) ?? {},
        generateMinimal: generateAs('response', 'request'),
        /** Generates values that also have the optional properties with an example, then minimal ones. */
        generateShown: generateAs('shown', 'response', 'request'),
        loadGenerator: (isDynamic: boolean) => loadGenerator(prism(), isDynamic),
      }
    },
    checkOf: (schema: JsonObject): ValueCheck => createValueCheck(schema, openapi),
  }
}

/** The parts of a documented response that mocked responses come from. */
export type MockSource = Partial<Pick<PrismOperation['responses'][number], 'contents' | 'headers'>>

/** Generates values by a schema, the most likely valid one first. */
export type GenerateValues = (schema: unknown) => readonly unknown[]

/** Loads Prism's generator of values, which takes more than a second. It generates optional properties too, but not always valid ones. @param isDynamic - True: each value is another. */
async function loadGenerator(prism: PrismOperation, isDynamic: boolean): Promise<GenerateValues> {
  const { generate, generateStatic } = await import('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js')
  const { [definitionsKey]: definitions }: JsonObject = { ...prism }
  return (schema) => {
    const source = schema as Parameters<typeof generateStatic>[1]
    const result = isDynamic ? generate(prism, definitions, source) : generateStatic(prism, source)
    return result._tag === 'Right' ? [result.right] : []
  }
}

/** Reads an operation with Prism. It gets the definitions that its schemas refer to. @param rewritten - A spec with this operation only. */
function toPrismOperation(rewritten: JsonObject): PrismOperation {
  const { definitions, document } = breakCycles(rewritten)
  const [operation] = transformOas3Operations(document)
  if (!operation) throw new TypeError('the spec has no operation')
  const used = referencedDefinitions(operation, definitions)
  const isMarked = haveNewKeywords(used)
  for (const content of [...operation.responses, operation.request?.body].flatMap((each) => each?.contents ?? []))
    if (isObject(content.schema)) content.schema = internSchema(content.schema, isMarked)
  // Prism compiles the list of header fields as one schema.
  for (const response of operation.responses) if (response.headers) response.headers = intern(response.headers)
  return Object.keys(used).length > 0 ? Object.assign(operation, { [definitionsKey]: intern(used) }) : operation
}

type ValueCheck = (value: unknown) => SchemaError[]

/** Compiles a schema, to validate values like response bodies. @param openapi - The version of its spec. */
function createValueCheck(schema: JsonObject, openapi: unknown): ValueCheck {
  const described = { responses: { 200: { description: '', content: { 'application/json': { schema } } } } }
  const operation = { described, method: 'GET', parameters: [], path: '/', requestBody: undefined } as const
  const prism = toPrismOperation(rewriteOperation(operation, openapi, createSchemaConverter(openapi)))
  const converted = prism.responses[0]?.contents?.[0]?.schema
  if (!isObject(converted)) throw new TypeError('Prism has not read the schema')
  return createBodyCheck('response', prism, converted, false)
}

/**
 * Creates the check of bodies by a schema, which is compiled when it first validates one.
 *
 * @param isMerged - True: Prism merges the schemas of `allOf`, of which each then allows the properties of the others.
 */
function createBodyCheck(
  side: MessageKind,
  prism: PrismOperation,
  schema: JsonObject,
  isMerged: boolean,
  onCompiled?: () => void,
): ValueCheck {
  const context = side === 'request' ? ValidationContext.Input : ValidationContext.Output
  const { [definitionsKey]: bundled } = bundleOf(prism)
  const refusing = withMarkerRefused(schema)
  const mediaType = 'application/json'
  const contents = [{ id: '', mediaType, schema: refusing }]
  const validate: ValueCheck =
    isMerged && [...objectsIn(refusing)].some((object) => Object.hasOwn(object, 'allOf'))
      ? (body) => schemaErrorsOf(side, () => validateBody(body, contents, context, mediaType, undefined, bundled))
      : (body) => {
          // Without a merge, and without the selection of a content, which is slow.
          const found = validateAgainstSchema(body, refusing, false, context, 'body', bundled)
          return found._tag === 'None' ? [] : readDiagnostics(found.value)
        }
  const isCompiled = once(() => {
    const isRefused = refusesMarker(validate)
    if (isRefused) onCompiled?.()
    return isRefused
  })
  const findFirst = createFindFirstError({ ...refusing, ...bundleOf(prism) })
  const checkWithinTime = withPatternLimit(side, [refusing, bundled], (body) => {
    // A list of all errors of a large request would be too large.
    const first = side === 'request' && isLarge(objectOf(body)['body']) && findFirst(body)
    return first ? [first] : validate(body)
  })
  // Compiling the schema may take longer than the limit.
  return (body) => (isCompiled() ? checkWithinTime(body) : [uncompiled(side)])
}

/** Validates the messages of an operation. A schema is compiled when it first validates a value. */
export type OperationChecks = ReturnType<typeof createOperationChecks>

/** Creates the validation of an operation. @param onCompiled - Called for each schema that is compiled. */
function createOperationChecks(prism: PrismOperation, operation: Operation, onCompiled: () => void) {
  const requests = new Map<string, ValueCheck>()
  for (const { mediaType, schema } of prism.request?.body?.contents ?? [])
    requests.set(mediaType, createBodyCheck('request', prism, objectOf(schema), true, onCompiled))
  const responses = new Map(prism.responses.map((each) => [each.code, createResponseCheck(prism, each, onCompiled)]))
  return {
    checkRequest: ({ content, ...combined }: ParameterPlaces & Pick<OperationRequest, 'body' | 'content'>) => {
      const mediaType = combinedBodyMediaType(operation.requestBody?.contents ?? [], content)
      return (requests.get(mediaType)?.(combined) ?? []).map(fromCombinedBody)
    },
    /** Its status and media type must be documented. */
    checkResponse: (response: OperationResponse): SchemaError[] =>
      responses.get(documentedResponse(operation, response.status)?.status ?? '')?.(response) ?? [],
  }
}

function createResponseCheck(
  prism: PrismOperation,
  given: PrismOperation['responses'][number],
  onCompiled: () => void,
) {
  const { code, contents = [], headers = [] } = given
  const documented = contents.map(({ mediaType }) => mediaType)
  const checks = contents.map(({ mediaType, schema }) =>
    !hasNoBody(Number(code)) && isObject(schema) && isEnforced(mediaType, schema)
      ? createBodyCheck('response', prism, schema, true, onCompiled)
      : undefined,
  )
  const bundled = bundleOf(prism)[definitionsKey]
  // Prism splits the text of a list or an object, also of one that is not sent. So those are validated one by one.
  const isSplit = (schema: unknown): boolean => isObject(schema) && /array|object/u.test(String(schema['type']))
  const groups = [
    headers.map((header) => (isSplit(header.schema) ? { ...header, schema: {} } : header)),
    ...headers.filter(({ schema }) => isSplit(schema)).map((header) => [header]),
  ]
  const checkHeaders = withPatternLimit('response', [headers, bundled], (fields: OperationResponse['headers']) =>
    groups.flatMap((group, index) =>
      index > 0 && fields[group[0]?.name.toLowerCase() ?? ''] === undefined
        ? []
        : schemaErrorsOf('response', () => validateHeaders(fields, group, ValidationContext.Output, bundled)),
    ),
  )
  return ({ body, headers: fields, mediaType }: OperationResponse): SchemaError[] => {
    const exact = pickMediaType(documented, mediaType)
    const index = exact === -1 ? documented.findIndex((each) => coversMediaType(each, mediaType)) : exact
    const errors = (body === undefined ? undefined : checks[index]?.(body)) ?? []
    if (headers.length === 0) return errors
    return [...errors, ...checkHeaders(body === undefined ? fields : { ...fields, 'content-type': mediaType })]
  }
}

/**
 * Limits the time of a validation, if its schemas have a pattern that may take exponential time. Other validations cost nothing more. The
 * schemas must have been compiled before, because compiling may take longer. @param schemas - Any value that contains the schemas.
 */
function withPatternLimit<Message>(side: MessageKind, schemas: unknown, validate: (message: Message) => SchemaError[]) {
  const find = once(() => findSlowPatterns(schemas))
  return (message: Message): SchemaError[] => {
    const patterns = find()
    if (patterns.length === 0) return validate(message)
    const limitMs = patternLimitMs + Math.floor(countValues(message) / 1000)
    try {
      return runAgainWithTimeLimit(limitMs, () => validate(message))
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error
      const text = `The ${side === 'request' ? side : 'value'} cannot be validated within ${limitMs} ms, because ${patterns.length === 1 ? 'the pattern' : 'one of the patterns'} ${patterns.join(', ')} takes exponential time for it`
      return [notValidated([], 'pattern', text)]
    }
  }
}

function findSlowPatterns(schemas: unknown): readonly string[] {
  const found = new Set<string>()
  for (const { pattern, patternProperties } of objectsIn(schemas)) {
    const own = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])]
    for (const each of own) if (typeof each === 'string' && mayTakeExponentialTime(each)) found.add(each)
  }
  return [...found]
}

const bundleOf = (prism: PrismOperation): JsonObject =>
  definitionsKey in prism ? { [definitionsKey]: prism[definitionsKey] } : {}
