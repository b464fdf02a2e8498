/** Creates mocked responses with Prism, whose generators are loaded when they are first needed: that takes more than a second. */
import { errorMessage } from '../../error-message.js'
import type { MockPreference, OperationRequest, OperationResponse } from '../contract.js'
import type { PrismOperation } from './operation-checks.js'

/** The parts of a documented header or media type that its values come from. */
interface Documented {
  readonly schema?: unknown
  readonly examples?: readonly { readonly key: string }[] | undefined
}

/** The parts of a documented response that mocked responses come from. */
export interface MockSource {
  readonly headers?: readonly (Documented & { readonly name: string })[] | undefined
  readonly contents?: readonly (Documented & { readonly mediaType: string })[] | undefined
}

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
export async function loadGenerator(prism: PrismOperation): Promise<GenerateValues> {
  const { generateStatic } = await import('@stoplight/prism-http/dist/mocker/generator/JSONSchema.js')
  return (schema) => {
    const result = generateStatic(prism, schema as Parameters<typeof generateStatic>[1])
    return result._tag === 'Right' ? [result.right] : []
  }
}

/** Creates the response that a client prefers. @returns Or a sentence that says why there is none. */
export async function mock(
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
