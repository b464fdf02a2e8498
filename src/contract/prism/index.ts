/** Adapts Prism, which validates the messages of a contract and creates mocked responses, for the other folders. */
import type { JsonObject } from '../../documents/object.js'
import { errorMessage } from '../../error-message.js'
import { once } from '../../once.js'
import type { MockPreference, Operation, OperationRequest, OperationResponse } from '../contract.js'
import { generateMinimalValue } from '../generate.js'
import type { OperationChecks, PrismOperation, ValueCheck } from './operation-checks.js'
import { createOperationChecks, createValueCheck, toPrismOperation } from './operation-checks.js'
import { createSchemaConverter, rewriteOperation } from './rewrite-operation.js'

export type { OperationChecks } from './operation-checks.js'
export type { ConvertSchema } from './rewrite-operation.js'
export type { SchemaError } from './schema-errors.js'

export interface OperationMocks {
  /** Generates a response that a client prefers. @returns The response, or a sentence that says why there is none. */
  mockResponse(request: OperationRequest, preference: MockPreference): Promise<OperationResponse | string>
  documented(status: string): MockSource
  /** Generates minimal values of the operation's schemas. */
  readonly generateMinimal: GenerateValues
  /** Loads the generator of values with optional properties, which takes more than a second. */
  loadGenerator(): Promise<GenerateValues>
}

/**
 * Creates the adapter for a document. Prism reads an operation, and compiles a schema, when it is first needed.
 *
 * @param onCompiled - Called for each schema of an operation that is compiled.
 */
export function createPrism(openapi: unknown, onCompiled: () => void) {
  const convert = createSchemaConverter(openapi)
  const convertForMocks = createSchemaConverter(openapi, true)
  return {
    convert,
    checksOf: (operation: Operation): OperationChecks =>
      createOperationChecks(toPrismOperation(rewriteOperation(operation, openapi, convert)), operation, onCompiled),
    mocksOf: ({ described, method, path }: Operation): OperationMocks => {
      // Only its responses are mocked.
      const answered = { described, method, path, parameters: [], requestBody: undefined }
      const prism = once(() => toPrismOperation(rewriteOperation(answered, openapi, convertForMocks)))
      return {
        mockResponse: (request, preference) => mock(prism(), request, preference),
        documented: (status) => prism().responses.find(({ code }) => code === status) ?? {},
        generateMinimal: (schema) => [
          generateMinimalValue(prism(), schema, true),
          generateMinimalValue(prism(), schema),
        ],
        loadGenerator: () => loadGenerator(prism()),
      }
    },
    checkOf: (schema: JsonObject): ValueCheck => createValueCheck(schema, openapi),
  }
}

/** The parts of a documented response that mocked responses come from. */
export type MockSource = Partial<Pick<PrismOperation['responses'][number], 'contents' | 'headers'>>

/** Generates values by a schema, the most likely valid one first. */
export type GenerateValues = (schema: unknown) => readonly unknown[]

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

/** Loads Prism's generator of values. It generates optional properties too, but not always valid ones. */
async function loadGenerator(prism: PrismOperation): Promise<GenerateValues> {
  const { generateStatic } = await import('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js')
  return (schema) => {
    const result = generateStatic(prism, schema as Parameters<typeof generateStatic>[1])
    return result._tag === 'Right' ? [result.right] : []
  }
}

/** Creates the response that a client prefers. @returns Or a sentence that says why there is none. */
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
  const headersSent = accept === undefined ? {} : { accept }
  const data = { method: prism.method as 'get', url: { path: prism.path }, headers: headersSent }
  let result: ReturnType<ReturnType<typeof generator.default>>
  try {
    result = generator.default({ resource: prism, input: { data, validations: [] }, config })(silent)
  } catch (error) {
    return `Prism cannot mock the response (${errorMessage(error)})`
  }
  if (result._tag === 'Left') return result.left.message.split('\n')[0] ?? ''
  const { statusCode, headers = {}, body } = result.right
  if (preference.code !== undefined && statusCode !== preference.code)
    return `there is no example ${JSON.stringify(preference.example)} for status ${preference.code}`
  const byName = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const { 'content-type': mediaType = 'application/json', ...others } = Object.fromEntries(byName)
  return { status: statusCode, headers: others, mediaType, body }
}
