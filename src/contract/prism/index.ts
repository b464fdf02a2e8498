/** Adapts Prism, which validates the messages of a contract and creates mocked responses, for the other folders. */
import type { JsonObject } from '../../documents/object.js'
import { once } from '../../once.js'
import type { Operation } from '../contract.js'
import { generateMinimalValue, type ValueUse } from '../generate.js'
import { definitionsKey } from './break-cycles.js'
import type { OperationChecks, PrismOperation, ValueCheck } from './operation-checks.js'
import { createOperationChecks, createValueCheck, toPrismOperation } from './operation-checks.js'
import { createSchemaConverter, rewriteOperation } from './rewrite-operation.js'

export type { OperationChecks } from './operation-checks.js'
export type { ConvertSchema } from './rewrite-operation.js'
export type { SchemaError } from './schema-errors.js'

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
