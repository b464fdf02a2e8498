/**
 * Validates values against the schemas under `components.schemas`.
 *
 * Prism validates responses of operations only. So each schema gets an operation under a separate path, whose response has that schema.
 */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { OperationChecks } from './operation-checks.js'
import { readOperations } from './prism.js'

/** The start of the path of an operation that is added for a schema. */
const schemaPath = '/x-schema/'

/** Returns the schemas under `components.schemas` by name. */
export function componentSchemas(document: JsonObject): JsonObject {
  const components = document['components']
  return isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
}

/** Returns the document with an operation for each of its component schemas. */
export function withSchemaOperations(document: JsonObject): JsonObject {
  const paths = isObject(document['paths']) ? document['paths'] : {}
  const added = Object.entries(componentSchemas(document)).map(
    ([name, schema]) => [schemaPath + name, pathItemOf(schema)] as const,
  )
  return { ...document, paths: { ...paths, ...Object.fromEntries<unknown>(added) } }
}

function pathItemOf(schema: unknown): JsonObject {
  const response = { description: 'A value', content: { 'application/json': { schema } } }
  return { get: { responses: { 200: response } } }
}

/** Returns the name of the component schema that a path was added for. Undefined for a path of the spec. */
export const schemaNameOf = (path: string): string | undefined =>
  path.startsWith(schemaPath) ? path.slice(schemaPath.length) : undefined

/** Returns a response that carries a value. */
export const responseWith = (body: unknown): Parameters<OperationChecks['checkResponse']>[0] => ({
  status: 200,
  headers: {},
  mediaType: 'application/json',
  body,
})

/** Tells whether all values of a list are valid. */
export type AllValid = (values: readonly unknown[]) => boolean

/** Creates a function that validates a list of values in one call, which is thirty times as fast as one call for each. */
export function createListCheck(document: JsonObject, schema: unknown): AllValid {
  const paths = { [schemaPath]: pathItemOf({ type: 'array', items: schema }) }
  const checks = readOperations({ ...document, paths })
  return (values) => checks.every(({ checkResponse }) => checkResponse(responseWith(values)).length === 0)
}
