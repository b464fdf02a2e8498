/** Finds the schemas that occur more than once in a large schema. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { oneSchemaKeywords, schemaListKeywords, schemaMapKeywords } from '../lint/schema-keywords.js'

/** The least number of schemas in a large tree. The largest ordinary bodies have a few hundred. */
const largeSize = 2000

/** The least number of schemas in a tree whose copy costs more than a reference. */
const repeatedSize = 8

/** The repeated schemas, each with the objects and arrays that contain it. */
export type RepeatedSchemaContainers = ReadonlyMap<object, ReadonlySet<object>>

/** Finds the schemas that the large schemas of a dereferenced spec repeat. Most specs have none. */
export function findRepeatedSchemas(document: JsonObject): RepeatedSchemaContainers {
  const sizes = new Map<object, number>()
  const holders = new Map<object, Set<object>>()
  const sizeOf = (schema: JsonObject): number => {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    // A schema that contains itself: the inner one is a reference.
    sizes.set(schema, 1)
    let size = 1
    for (const [part, holder] of partsOf(schema)) {
      size += sizeOf(part)
      holders.set(part, (holders.get(part) ?? new Set<object>()).add(holder))
    }
    sizes.set(schema, size)
    return size
  }
  const isAnyLarge = bodySchemasOf(document)
    .map(sizeOf)
    .some((size) => size >= largeSize)
  if (!isAnyLarge) return new Map()
  return new Map([...holders].filter(([part, { size }]) => size > 1 && (sizes.get(part) ?? 0) >= repeatedSize))
}

/** Lists the schemas inside of a schema, each with the object or array that holds it. */
function partsOf(schema: JsonObject): (readonly [part: JsonObject, holder: object])[] {
  const one = oneSchemaKeywords.map((key) => [schema[key], schema] as const)
  const more = [...schemaListKeywords, ...schemaMapKeywords].flatMap((key) => {
    const held = schema[key]
    return typeof held === 'object' && held !== null
      ? Object.values(held).map((part: unknown) => [part, held] as const)
      : []
  })
  return [...one, ...more].flatMap(([part, holder]) => (isObject(part) ? [[part, holder] as const] : []))
}

/** Lists the schemas of the bodies in a spec. */
function bodySchemasOf({ paths }: JsonObject): JsonObject[] {
  const operations = valuesOf(paths).flatMap(valuesOf)
  const bodies = operations.flatMap(({ requestBody, responses }) => [requestBody, ...valuesOf(responses)])
  return bodies
    .filter(isObject)
    .flatMap(({ content }) => valuesOf(content))
    .flatMap(({ schema }) => (isObject(schema) ? [schema] : []))
}

const valuesOf = (value: unknown): JsonObject[] => (isObject(value) ? Object.values(value).filter(isObject) : [])
