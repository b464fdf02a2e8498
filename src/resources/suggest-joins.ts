/** Suggests the `x-double` that would join paths whose records have the same schema. */
import type { Operation } from '../contract/contract.js'
import { literalSegments } from '../contract/path-template.js'
import { objectSchema } from '../contract/schemas/read-schema.js'
import type { JsonObject } from '../documents/object.js'
import { lastParameterOf } from './infer/collection-paths.js'
import { findListBody } from './infer/list-body.js'
import { findRecordBody } from './infer/record-body.js'
import { successResponseOf } from './infer/success-response.js'
import { isSameName, singularOf } from './names.js'
import { operationOverrideOf } from './read-overrides.js'
import type { Resources } from './resources.js'

/** A path, and the `x-double` that would give it a collection. */
export interface SuggestedJoin {
  readonly path: string
  readonly collection: string
  /** Record properties by path parameter, without those that the rules find. */
  readonly parents: Readonly<Record<string, string>>
}

/** Suggests joins for groups of paths in which one path is mocked, and one is the path of a record. */
export function suggestJoins({ contract, decisions }: Resources): readonly SuggestedJoin[] {
  const groups = new Map<JsonObject, Operation[]>()
  for (const operation of contract.operations) {
    const schema = operation.method === 'GET' ? recordSchemaOf(operation) : undefined
    if (schema) groups.set(schema, [...(groups.get(schema) ?? []), operation])
  }
  return [...groups].flatMap(([schema, operations]) => {
    const isSuggested = operations.some(
      (operation) => decisions.get(operation)?.role === 'mocked' && operationOverrideOf(operation).role === undefined,
    )
    const first = operations.find(({ path }) => path.endsWith('}'))
    if (!isSuggested || !first || operations.length < 2) return []
    const collection = literalSegments(first.path).at(-1)
    return operations
      .filter(({ path }) => !operations.some((other) => path === `${other.path}/{${lastParameterOf(path)}}`))
      .map(({ path }) => ({ path, collection: collection ?? 'records', parents: parentsOf(path, schema) }))
  })
}

function recordSchemaOf(operation: Operation): JsonObject | undefined {
  const { json } = successResponseOf(operation, '200')
  if (!json) return undefined
  const fitOf = (schema: JsonObject): number => objectSchema(schema)?.properties.size ?? 0
  if (operation.path.endsWith('}')) return findRecordBody(json.schema, fitOf)?.schema
  const list = findListBody(json.schema, { segment: '', example: () => undefined })
  return typeof list === 'string' ? undefined : findRecordBody(list.items, fitOf)?.schema
}

function parentsOf(path: string, schema: JsonObject): Readonly<Record<string, string>> {
  const properties = [...(objectSchema(schema)?.properties.keys() ?? [])]
  const found = [...path.matchAll(/([^/{}]+)\/\{([^{}]+)\}(?=\/)/gu)].flatMap(([, literal = '', name = '']) => {
    const property = properties.find((key) => isSameName(key, `${singularOf(literal)} ${name}`))
    const isFound = properties.some((key) => key !== 'id' && isSameName(key, name))
    return property === undefined || isFound ? [] : [[name, property] as const]
  })
  return Object.fromEntries(found)
}
