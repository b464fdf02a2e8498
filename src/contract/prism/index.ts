/**
 * Adapts Prism, which validates the messages of a contract and creates mocked responses. The other folders import only this file, and only
 * this folder imports Prism's packages.
 */
import type { JsonObject } from '../../documents/object.js'
import { once } from '../../once.js'
import type { MockPreference, Operation, OperationRequest, OperationResponse } from '../contract.js'
import { generateMinimalValue, generateResponseValue } from '../generate.js'
import { type GenerateValues, loadGenerator, mock, type MockSource } from './mock.js'
import type { OperationChecks, ValueCheck } from './operation-checks.js'
import { createOperationChecks, createValueCheck, toPrismOperation } from './operation-checks.js'
import { type ConvertSchema, createSchemaConverter, rewriteOperation } from './rewrite-operation.js'

export type { DecodedRequest, OperationChecks } from './operation-checks.js'
export type { GenerateValues, MockSource } from './mock.js'
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

/** Prism for one document. Prism reads an operation, and compiles a schema, when it is first needed. */
export interface Prism {
  readonly convert: ConvertSchema
  checksOf(operation: Operation): OperationChecks
  /** @param described - The Operation Object from which values are generated. */
  mocksOf(operation: Operation, described: JsonObject): OperationMocks
  checkOf(schema: JsonObject): ValueCheck
}

/** Creates the adapter for a document. @param onCompiled - Called for each schema of an operation that is compiled. */
export function createPrism(openapi: unknown, onCompiled: () => void): Prism {
  const convert = createSchemaConverter(openapi, { hasDateTimePattern: true })
  const convertForMocks = createSchemaConverter(openapi, { hasDateTimePattern: false })
  return {
    convert,
    checksOf: (operation) => {
      const checks = once(() =>
        createOperationChecks(toPrismOperation(rewriteOperation(operation, openapi, convert)), operation, onCompiled),
      )
      return {
        checkRequest: (request) => checks().checkRequest(request),
        checkResponse: (response) => checks().checkResponse(response),
      }
    },
    mocksOf: ({ method, path }, described) => {
      // Only its responses are mocked.
      const answered = { described, method, path, parameters: [], requestBody: undefined }
      const prism = once(() => toPrismOperation(rewriteOperation(answered, openapi, convertForMocks)))
      return {
        mockResponse: (request, preference) => mock(prism(), request, preference),
        documented: (status) => prism().responses.find(({ code }) => code === status) ?? {},
        generateMinimal: (schema) => [generateResponseValue(prism(), schema), generateMinimalValue(prism(), schema)],
        loadGenerator: () => loadGenerator(prism()),
      }
    },
    checkOf: (schema) => createValueCheck(schema, openapi),
  }
}
