/**
 * Prism behind one door: the only file that imports its packages.
 *
 * It takes the two parts that check, by their files, because the package's front door loads 2,000 files that make up data. Those are
 * loaded when a made-up reply is first asked for. What Prism throws becomes a violation; what it only warns of is graded by `strict.ts`.
 */
import { transformOas3Operations } from '@stoplight/http-spec/oas3/operation'
import { bundleTarget, decycle } from '@stoplight/json'
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
import { createFirstViolation, isLarge } from './bodies/large-body.js'
import { pickMediaType } from './bodies/media-types.js'
import type {
  BodyContent,
  Json,
  Method,
  MockPreference,
  Operation,
  OperationResponse,
  OperationRequest,
  Violation,
} from './contract.js'
import { documentableMethods, operationName } from './contract.js'
import { leastValue } from './generate-value.js'
import type { PrismResponse, GenerateValues } from './mock-response.js'
import { hasNoBody } from './mock-response.js'
import type { DocumentedRequest } from './prism-document.js'
import { requestMediaType, toPrismDocument } from './prism-document.js'
import { coversMediaType, documentedResponse, isEnforced } from './response-rules.js'
import type { Compile } from './schemas/compile-schema.js'
import { createCompiler, dialect2020, needs2020, intern } from './schemas/compile-schema.js'
import { addDateTimePatterns } from './schemas/date-time.js'
import { writeExactly } from './schemas/exact-integers.js'

type PrismOperation = Parameters<typeof validateInput>[0]['resource']
type PrismRequest = Parameters<typeof validateInput>[0]['element']
type PrismDiagnostics = Extract<ReturnType<typeof validateInput>, { _tag: 'Left' }>['left']
type PrismContents = NonNullable<PrismOperation['responses'][number]['contents']>

/** A request as Prism is shown it: everything decoded. */
export interface DecodedRequest {
  /** Parameters by place and name. */
  readonly path: Record<string, Json>
  readonly query: Record<string, Json>
  readonly header: Record<string, Json>
  readonly cookie: Record<string, Json>
  readonly body?: Json
  /** Which of the operation's contents the body is. */
  readonly content: BodyContent | undefined
}

/** An operation together with Prism's checks of it. */
export interface CheckedOperation {
  readonly operation: Operation
  checkRequest(request: DecodedRequest): Violation[]
  checkResponse(reply: OperationResponse): readonly Violation[]
  /** Makes up a reply. @returns Why it cannot, as a sentence. */
  mockResponse(request: OperationRequest, preference: MockPreference): Promise<OperationResponse | string>
  /** The response that the operation documents as a status. */
  documented(status: string): PrismResponse
  /** Makes up the least values of the operation's schemas. */
  readonly makeLeast: GenerateValues
  /** Loads what makes up fuller values. It takes more than a second. */
  loadSampler(): Promise<GenerateValues>
  /** Why a schema of the operation cannot be compiled, and so would not be checked. Undefined where all can. */
  readonly uncompilable: string | undefined
}

/**
 * Makes a dereferenced spec's operations checkable.
 *
 * @param document - A vetted, dereferenced OpenAPI document. It may refer to itself.
 */
export function readOperations(document: JsonObject): CheckedOperation[] {
  return [...eachOperation(document)]
}

/** Makes them checkable one after the other, for work that is done in parts. */
export function* eachOperation(document: JsonObject): Generator<CheckedOperation, undefined> {
  const checkable = toPrismDocument(document)
  const tree = decycle(checkable.document) as JsonObject
  const compile = createCompiler()
  for (const operation of transformOas3Operations(tree)) {
    // Prism's mocker would send them.
    delete operation.callbacks
    const prism = bundleOperation(tree, operation)
    yield checked(prism, checkable.requests.get(`${prism.method.toUpperCase()} ${prism.path}`), compile)
  }
}

/** The operation with what its schemas refer to. */
function bundleOperation(tree: JsonObject, operation: object): PrismOperation {
  const target = { document: { ...tree, __target__: operation }, path: '#/__target__', cloneDocument: false }
  return shareSchemas(bundleTarget(target) as PrismOperation)
}

/** Checks a value by a schema. Locations begin with `body`. */
export type ValueCheck = (value: unknown) => readonly Violation[]

/**
 * Compiles a schema, to check values as strictly as responses.
 *
 * @param document - A document with one operation, whose response has the schema.
 */
export function createValueCheck(document: JsonObject): ValueCheck {
  const checkable = toPrismDocument(document).document
  // The preparer made copies of the schemas, so those that were given stay as they are.
  addDateTimePatterns(checkable)
  const tree = decycle(checkable) as JsonObject
  const [operation] = transformOas3Operations(tree)
  const prism = operation && bundleOperation(tree, operation)
  const schema = prism?.responses[0]?.contents?.[0]?.schema
  if (!prism || !schema) throw new TypeError('the document has no response with a schema')
  const reason = findUncompilable(prism, createCompiler())
  if (reason !== undefined) throw new TypeError(`a schema does not compile: ${reason}`)
  const { __bundled__: bundled } = bundleOf(prism)
  return (value) => {
    const found = validateAgainstSchema(value, schema, false, ValidationContext.Output, 'body', bundled)
    return found._tag === 'None' ? [] : found.value.map((diagnostic) => toViolation('response', diagnostic))
  }
}

function checked(prism: PrismOperation, described: DocumentedRequest | undefined, compile: Compile): CheckedOperation {
  const operation = toOperation(prism, described)
  const shown = withShownReplies(withoutUnenforced(prism))
  const firstViolations = new Map(
    (prism.request?.body?.contents ?? []).map(({ mediaType, schema }) => [
      mediaType,
      createFirstViolation({ ...schema, ...bundleOf(prism) }),
    ]),
  )
  const requestChecks = new Map(
    (prism.request?.body?.contents ?? []).map(({ mediaType, schema }) => [
      mediaType,
      createSchemaCheck(prism, schema, 'request'),
    ]),
  )
  const replyChecks = new Map(
    shown.responses.map(({ code, contents = [], headers = [] }) => [
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
      const first = isLarge(body.body) ? firstViolations.get(mediaType)?.(body) : undefined
      if (first) return [unwrap(first)]
      const check = requestChecks.get(mediaType)
      if (check) return check(body).map(unwrap)
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
      ).map(unwrap)
    },
    documented: (status) => prism.responses.find(({ code }) => code === status) ?? {},
    makeLeast: (schema) => [leastValue(prism, schema)],
    loadSampler: () => loadSampler(prism),
    checkResponse: (reply) => {
      const mediaType = shownReplyType(operation, reply)
      const documented = documentedResponse(operation, reply.status)?.status ?? ''
      const check = reply.body === undefined ? undefined : replyChecks.get(documented)?.get(mediaType)
      if (check) return check(reply.body)
      return violationsOf('response', () => {
        const headers =
          reply.body === undefined ? { ...reply.headers } : { ...reply.headers, 'content-type': mediaType }
        return validateOutput({
          resource: shown,
          element: { statusCode: reply.status, headers, body: reply.body },
        })
      })
    },
    mockResponse: (request, preference) => mock(prism, request, preference),
    uncompilable: findUncompilable(prism, compile),
  }
}

/**
 * Prepares to check values by a schema as Prism checks bodies, without its looking up which content is meant: that takes ten times as
 * long as the check.
 *
 * @returns Undefined for a schema that Prism itself has to prepare, since it has `allOf`.
 */
function createSchemaCheck(
  prism: PrismOperation,
  schema: unknown,
  side: 'request' | 'response',
): ValueCheck | undefined {
  if (!isObject(schema) || hasAllOf(schema)) return undefined
  const isRequest = side === 'request'
  const stripped = isRequest ? stripReadOnlyProperties(schema) : stripWriteOnlyProperties(schema)
  const context = isRequest ? ValidationContext.Input : ValidationContext.Output
  const { __bundled__: bundled } = bundleOf(prism)
  return (value) => {
    const found =
      stripped._tag === 'None'
        ? stripped
        : validateAgainstSchema(value, stripped.value, false, context, 'body', bundled)
    return found._tag === 'None' ? [] : found.value.map((diagnostic) => toViolation(side, diagnostic))
  }
}

/** Whether a schema has `allOf` anywhere. */
function hasAllOf(schema: JsonObject): boolean {
  const known = new Set<unknown>([schema])
  for (const value of known) {
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, 'allOf')) return true
    for (const inner of Object.values(value)) known.add(inner)
  }
  return false
}

/** Prism takes `a+json` for `b+json`, and a media type without parameters for none at all. So each gets a name that is like no other. */
const withShownReplies = (prism: PrismOperation): PrismOperation => ({
  ...prism,
  responses: prism.responses.map((response) => ({
    ...response,
    contents: (response.contents ?? []).map((content, index) => ({ ...content, mediaType: replyType(index) })),
  })),
})

const replyType = (index: number): string => `application/x-response-${index}`

function shownReplyType(operation: Operation, { mediaType, status }: OperationResponse): string {
  const documented = documentedResponse(operation, status)?.mediaTypes ?? []
  const fitting = pickMediaType(documented, mediaType)
  const index = fitting === -1 ? documented.findIndex((each) => coversMediaType(each, mediaType)) : fitting
  return index === -1 ? mediaType : replyType(index)
}

/** Runs a check of Prism's; that it throws is a violation too, since it then cannot have passed. */
function violationsOf(
  side: 'request' | 'response',
  check: () => ReturnType<typeof validateInput> | ReturnType<typeof validateOutput>,
): Violation[] {
  try {
    const verdict = check()
    return verdict._tag === 'Left' ? verdict.left.map((diagnostic) => toViolation(side, diagnostic)) : []
  } catch (error) {
    const message = `The ${side} cannot be checked: ${errorMessage(error)}.`
    return [{ location: [side], severity: 'Error', code: 'unreadable', message }]
  }
}

function toViolation(side: 'request' | 'response', diagnostic: PrismDiagnostics[number]): Violation {
  const severity: number = diagnostic.severity
  return {
    location: [side, ...(diagnostic.path ?? []).map(String)],
    severity: severity === 0 ? 'Error' : 'Warning',
    code: diagnostic.code ?? 'violation',
    message: diagnostic.message.endsWith('.') ? diagnostic.message : `${diagnostic.message}.`,
  }
}

/** Takes the place of a violation out of the body that Prism was shown. */
function unwrap(violation: Violation): Violation {
  const [side = '', , ...inside] = violation.location
  const location = [side, ...inside.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))]
  const said = violation.message.slice('Request body property '.length + inside.join('.').length).trim()
  const rule = said.replace(/(?<=[<>]=? )-?\d{16,}/u, (bound) => writeExactly(Number(bound)))
  const property = inside.slice(1).join('.')
  const subject = inside[0] === 'body' ? `Request body ${property === '' ? '' : `property ${property} `}` : ''
  return inside.length === 0 ? violation : { ...violation, location, message: `${subject}${rule}` }
}

function toOperation(prism: PrismOperation, described: DocumentedRequest | undefined): Operation {
  const responses = prism.responses.map(({ code, contents }) => ({
    status: code,
    mediaTypes: hasNoBody(Number(code)) ? [] : (contents ?? []).map((content) => content.mediaType),
    examples: [...new Set((contents ?? []).flatMap(({ examples = [] }) => examples.map(({ key }) => key)))],
  }))
  const hasDefault = responses.some(({ status }) => status === 'default')
  const success = responses.find(({ status }) => status.startsWith('2'))?.status ?? (hasDefault ? '200' : '204')
  const { security = [] } = prism
  return {
    id: operationName(prism.iid, prism.method, prism.path),
    method: toMethod(prism.method),
    path: prism.path,
    summary: prism.summary ?? '',
    parameters: described?.parameters ?? [],
    requestBody: described?.requestBody,
    responses,
    successStatus: success === '2XX' ? 200 : Number(success),
    secured: security.length > 0 && security.every((alternative) => alternative.length > 0),
  }
}

function toMethod(name: string): Method {
  const method = documentableMethods.find((known) => known === name.toUpperCase())
  if (!method) throw new TypeError(`${name} is not a method`)
  return method
}

function shareSchemas(prism: PrismOperation): PrismOperation {
  const isNew = '__bundled__' in prism && isObject(prism.__bundled__) && needs2020(prism.__bundled__)
  for (const content of contentsOf(prism)) {
    if (!isObject(content.schema)) continue
    const { schema } = content
    content.schema = intern(isNew || needs2020(schema) ? { ...schema, $schema: dialect2020 } : schema)
  }
  // Header fields are compiled by their list.
  for (const reply of prism.responses) if (reply.headers) reply.headers = intern(reply.headers)
  return prism
}

/** The operation without what its responses cannot be checked by: content where there is no body, and schemas of media types other than JSON. */
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
  ...responses.flatMap((reply) => reply.contents ?? []),
  ...(request?.body?.contents ?? []),
]

/** What the schemas of an operation refer to. */
const bundleOf = (prism: PrismOperation): JsonObject =>
  '__bundled__' in prism ? { __bundled__: prism.__bundled__ } : {}

/** Why a schema of an operation cannot be compiled. Undefined where all can. */
function findUncompilable(prism: PrismOperation, compile: Compile): string | undefined {
  const headers = prism.responses.flatMap((reply) => reply.headers ?? [])
  const bundle = bundleOf(prism)
  const schemas = [...contentsOf(prism), ...headers].map(({ schema }) => schema).filter(isObject)
  return schemas.map((schema) => compile({ ...schema, ...bundle })).find((reason) => reason !== undefined)
}

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

/** Prism's sampler fills in what is optional too, but not always so that it fits. */
async function loadSampler(prism: PrismOperation): Promise<GenerateValues> {
  const { generateStatic } = await import('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js')
  return (schema) => {
    const made = generateStatic(prism, schema as Parameters<typeof generateStatic>[1])
    return made._tag === 'Right' ? [made.right] : []
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
  let verdict: ReturnType<ReturnType<typeof generator.default>>
  try {
    verdict = generator.default({ resource: prism, input: { data, validations: [] }, config })(silent)
  } catch (error) {
    return `Prism cannot answer it (${errorMessage(error)})`
  }
  if (verdict._tag === 'Left') return verdict.left.message.split('\n')[0] ?? ''
  const { statusCode, headers = {}, body } = verdict.right
  if (preference.code !== undefined && statusCode !== preference.code) {
    return `there is no example ${JSON.stringify(preference.example)} for status ${preference.code}`
  }
  const byName = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const { 'content-type': mediaType = 'application/json', ...others } = Object.fromEntries(byName)
  return { status: statusCode, headers: others, mediaType, body }
}
