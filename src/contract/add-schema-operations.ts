/**
 * Adds the schemas under `components.schemas` to the operations of a spec, so that unused schemas are compiled too.
 *
 * Prism compiles schemas of operations only. So each schema gets an operation under a separate path, whose response has that schema.
 */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'

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
export const schemaNameOfAddedPath = (path: string): string | undefined =>
  path.startsWith(schemaPath) ? path.slice(schemaPath.length) : undefined
