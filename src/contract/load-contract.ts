/** From a spec file to a contract: read, vet, take references out, hand to Prism, and keep the verdicts that cannot change. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { readSource } from '../documents/source.js'
import type { ContractView } from '../resources/contract-view.js'
import type { Contract, Operation, OperationResponse, Pause, RequestValidation, Violation } from './contract.js'
import { problemAt } from './lint/findings.js'
import { lintSpec } from './lint/lint-spec.js'
import { mockResponses } from './mock-response.js'
import type { CheckedOperation } from './prism.js'
import { eachOperation, readOperations } from './prism.js'
import { dereference } from './references.js'
import { validateRequest, requestCacheKey } from './request-rules.js'
import { createResourceView } from './resource-view.js'
import { checkResponseRules, documentedResponse, describeDateTimes } from './response-rules.js'
import { addDateTimePatterns } from './schemas/date-time.js'
import { secretNamesOf } from './schemas/secret-names.js'
import { withoutWriteOnly } from './without-write-only.js'

/** How many request verdicts are kept, about half a kilobyte each. A read of each of 10,000 records fits. */
const maxRequestVerdicts = 16_384

/** The prefix of the operations that carry a component schema to Prism, so that it is compiled, also where no operation uses it. */
const schemaPath = '/x-schema/'

/**
 * Loads a spec.
 *
 * @param pause - Called between the parts of the work. Default: the work is not interrupted.
 * @throws {ProblemsError} Everything in it that stands in the way of checking.
 */
export async function loadContract(file: string, pause: Pause = async () => {}): Promise<Contract> {
  return createContract(await readSource(file), pause)
}

/**
 * Makes a contract of a spec.
 *
 * @throws {ProblemsError} Everything in it that stands in the way of checking.
 */
async function createContract(source: Source, pause: Pause): Promise<Contract> {
  await pause()
  const { diagnostics, document: rewritten, problems } = lintSpec(source)
  if (problems.length > 0) throw new ProblemsError(problems)
  await pause()
  const document = dereference(rewritten) as JsonObject
  addDateTimePatterns(document)
  const schemas = componentSchemas(document)
  const all: CheckedOperation[] = []
  for (const entry of eachOperation(withSchemaOperations(document, schemas))) {
    all.push(entry)
    await pause()
  }
  const broken = all.flatMap((entry) => uncompilable(source, entry))
  if (broken.length > 0) throw new ProblemsError(broken)

  const checks = new Map(
    all.map((entry) => [
      entry.operation.path.startsWith(schemaPath) ? entry.operation.path : entry.operation.id,
      entry,
    ]),
  )
  const checksOf = (operation: Operation): CheckedOperation => checks.get(operation.id) ?? unknownOperation(operation)
  // Made-up data is made from the spec without the pattern of date-times, which leads the generator astray.
  let mocked: CheckedOperation[] | undefined
  let plain: JsonObject | undefined
  const plainDocument = (): JsonObject => (plain ??= dereference(rewritten) as JsonObject)
  const mockedBy = (operation: Operation): CheckedOperation => {
    mocked ??= readOperations(dereference(withoutWriteOnly(rewritten as JsonObject)) as JsonObject)
    return mocked.find((entry) => entry.operation.id === operation.id) ?? unknownOperation(operation)
  }
  const successes = new Map<string, Promise<OperationResponse | string>>()
  const requestVerdicts = new Map<string, RequestValidation>()
  const replyVerdicts = new WeakMap<object, Map<string, readonly Violation[]>>()
  const operations = all.map(({ operation }) => operation).filter(({ path }) => !path.startsWith(schemaPath))
  let view: ContractView | undefined
  const createView = (): ContractView =>
    createResourceView({
      document: plainDocument(),
      operations,
      locate: (path, at) => source.locate(path, at),
      example: (id, status) => {
        const operation = operations.find((each) => each.id === id)
        return operation && exampleBody(mockedBy(operation), checksOf(operation), status)
      },
    })
  const info = isObject(document['info']) ? document['info'] : {}

  return {
    file: source.file,
    text: source.text,
    document: source.value,
    locate: (path, at) => source.locate(path, at),
    title: textOf(info['title']),
    version: textOf(info['version']),
    diagnostics,
    operations,
    secretNames: secretNamesOf(document),
    propertiesOf: (schema) => propertyNames(schemas[schema]),
    resourceView: () => (view ??= createView()),
    checkRequest: (operation, request) => {
      const key = requestCacheKey(operation, request)
      const kept = key === undefined ? undefined : requestVerdicts.get(key)
      if (kept) return kept
      const verdict = validateRequest(checksOf(operation), request)
      if (key !== undefined) keep(requestVerdicts, key, verdict)
      return verdict
    },
    checkResponse: (operation, reply) => {
      const judge = (): readonly Violation[] => judgeReply(checksOf(operation), reply)
      const { body, headers, mediaType, status } = reply
      // Only what cannot change is known to be the same again.
      const isKept = typeof body === 'object' && body !== null && Object.isFrozen(body) && isEmpty(headers)
      if (!isKept) return judge()
      const kept = replyVerdicts.get(body) ?? new Map<string, readonly Violation[]>()
      replyVerdicts.set(body, kept)
      const key = `${operation.id} ${status} ${mediaType}`
      const verdict = kept.get(key) ?? judge()
      kept.set(key, verdict)
      return verdict
    },
    compileValidators: (operation) => {
      const { checkResponse, checkRequest } = checksOf(operation)
      for (const content of [undefined, ...(operation.requestBody?.contents ?? [])])
        checkRequest({ path: {}, query: {}, header: {}, cookie: {}, content })
      for (const {
        mediaTypes: [mediaType = ''],
        status,
      } of operation.responses) {
        checkResponse({ status: Number(status.replace('XX', '00')) || 500, headers: {}, mediaType, body: {} })
      }
    },
    findMockProblem: async (operation) => {
      const found = await mockSuccess(mockedBy(operation), checksOf(operation), { isFull: false })
      return typeof found === 'string' ? found : undefined
    },
    mockResponse: async (operation, request, preference) => {
      if (!isEmpty(preference)) return mockedBy(operation).mockResponse(request, preference)
      const known =
        successes.get(operation.id) ?? mockSuccess(mockedBy(operation), checksOf(operation), { isFull: true })
      successes.set(operation.id, known)
      return known
    },
  }
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function unknownOperation(operation: Operation): never {
  throw new TypeError(`${operation.id} is not an operation of this contract`)
}

function componentSchemas(document: JsonObject): JsonObject {
  const components = document['components']
  return isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
}

/** Prism checks replies of operations; so each component schema gets an operation that replies with just that. */
function withSchemaOperations(document: JsonObject, schemas: JsonObject): JsonObject {
  const paths = isObject(document['paths']) ? document['paths'] : {}
  const carriers = Object.entries(schemas).map(([name, schema]) => {
    const reply = { description: name, content: { 'application/json': { schema } } }
    return [schemaPath + name, { get: { responses: { 200: reply } } }]
  })
  return { ...document, paths: { ...paths, ...(Object.fromEntries(carriers) as JsonObject) } }
}

function uncompilable(source: Source, { operation, uncompilable: reason }: CheckedOperation): Problem[] {
  if (reason === undefined) return []
  const path = operation.path.startsWith(schemaPath)
    ? ['components', 'schemas', operation.path.slice(schemaPath.length)]
    : ['paths', operation.path, operation.method.toLowerCase()]
  return [problemAt(source, path, `has a schema that does not compile: ${reason}`, 'correct the schema', 'key')]
}

function propertyNames(schema: unknown, seen: Set<unknown> = new Set()): string[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const own = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const parts: unknown[] = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    Array.isArray(schema[key]) ? (schema[key] as unknown[]) : [],
  )
  return [...new Set([...own, ...parts.flatMap((part) => propertyNames(part, seen))])]
}

function keep(verdicts: Map<string, RequestValidation>, key: string, verdict: RequestValidation): void {
  if (verdicts.size >= maxRequestVerdicts) {
    for (const oldest of verdicts.keys()) {
      verdicts.delete(oldest)
      break
    }
  }
  verdicts.set(key, verdict)
}

/**
 * The success that an operation is mocked by: an example, else a generated value.
 *
 * @param isFull - Whether to generate what is optional too, which needs Prism's generator.
 * @returns Why there is none, as a sentence.
 */
async function mockSuccess(
  mocked: CheckedOperation,
  checks: CheckedOperation,
  { isFull }: { readonly isFull: boolean },
): Promise<OperationResponse | string> {
  const { operation } = checks
  const status = operation.successStatus
  const documented = mocked.documented(documentedResponse(operation, status)?.status ?? '')
  let wrong = ''
  const findFit = (replies: readonly OperationResponse[]): OperationResponse | undefined =>
    replies.find((reply) => {
      const error = judgeReply(checks, reply).find(({ severity }) => severity === 'Error')
      wrong ||= error?.message ?? ''
      return error === undefined
    })
  const example = findFit(mockResponses(status, documented))
  if (example) return example
  const least = findFit(mockResponses(status, documented, mocked.makeLeast))
  if (least && !isFull) return least
  const fuller = findFit(mockResponses(status, documented, await mocked.loadSampler()))
  return fuller ?? least ?? `No example fits the ${status} of ${operation.id}, and none can be generated: ${wrong}`
}

/** The body of the first mocked response of a status that fits. Undefined: none does. */
function exampleBody(mocked: CheckedOperation, checks: CheckedOperation, status: string): unknown {
  const sent = /^\d+$/u.test(status)
    ? Number(status)
    : Number(status.replace('XX', '00')) || checks.operation.successStatus
  const fits = (reply: OperationResponse): boolean =>
    judgeReply(checks, reply).every(({ severity }) => severity !== 'Error')
  return mockResponses(sent, mocked.documented(status), mocked.makeLeast).find(fits)?.body
}

function judgeReply(checks: CheckedOperation, reply: OperationResponse): readonly Violation[] {
  const strict = checkResponseRules(checks.operation, reply)
  return strict.length > 0 ? strict : describeDateTimes(checks.checkResponse(reply))
}
