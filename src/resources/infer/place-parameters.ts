/** Finds what the path parameters of the operations of a collection contain: the id, and the parents. */
import type { Operation, Parameter } from '../../contract/contract.js'
import { asSegments } from '../../contract/path-template.js'
import { propertiesOf } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { pathOverrideOf } from '../read-overrides.js'
import { type CollectionPaths, lastParameterOf } from './collection-paths.js'
import { mayHoldId } from './id-property.js'
import { findParents, type Parent } from './parents.js'

/** The contents of the path parameters of an operation. */
export interface PlacedParameters {
  /** True if the operation is on the record that the caller names. */
  readonly isOwn: boolean
  /** The parameter that contains the id: that of the operation, else that of the item path. Undefined: no path has one. */
  readonly parameter: Parameter | undefined
  /** The other path parameters of the operation, in order. */
  readonly parents: readonly Parent[]
}

/** Finds the value that each path parameter of each operation contains. @returns Or the reason why it cannot be found, as a clause. */
export function placeParameters(
  { kind, members, path: collectionPath }: CollectionPaths,
  itemParameter: Parameter | undefined,
  idPath: readonly string[],
  properties: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<Operation, PlacedParameters> | string {
  const operations = members.map(({ operation }) => operation)
  const placed = new Map<Operation, PlacedParameters>()
  for (const { operation, parents: joined, place } of members) {
    const path = asSegments(operation.path)
    const hasId = (place === 'item' || place === 'action') && kind !== 'singleton'
    const name = hasId ? lastParameterOf(path) : undefined
    const own = name === undefined ? itemParameter : parameterAt(operations, operation.path, name)
    if (!own && name !== undefined) return `its path ${path} has no parameter for the id of a record`
    const idSchema = idSchemaAt(properties, idPath)
    if (own && idSchema && !mayHoldId(idSchema, own.name, own.schema))
      return `its path parameter ${own.name} and the property ${idPath.join('.')} differ in type`
    const parents = findParents(name === undefined ? path : path.replace(`/{${name}}`, ''), {
      operations: operations.filter((each) => each.path === operation.path),
      idProperty: idPath[0] ?? '',
      idParameter: itemParameter?.name ?? '',
      properties,
      declared: joined ?? pathOverrideOf(operation).parents,
    })
    if (typeof parents === 'string') return parents
    // Of several parameters after the collection's path, each is a part of the id.
    const outside = parents.find(
      ({ parameter, property }) =>
        property === undefined && kind === 'pair' && place === 'item' && !collectionPath.includes(`{${parameter}}`),
    )
    if (outside && path.startsWith(`${collectionPath}/{`))
      return `its path parameter ${outside.parameter} is a part of the id, and no property of its records`
    placed.set(operation, { parents, parameter: own, isOwn: place === 'own' })
  }
  return placed
}

export const parameterAt = (operations: readonly Operation[], path: string, name: string): Parameter | undefined =>
  operations
    .filter((operation) => operation.path === path)
    .flatMap(({ parameters }) => parameters)
    .find((each) => each.in === 'path' && each.name === name)

/** Returns the schema of an id. */
export const idSchemaAt = (
  properties: ReadonlyMap<string, JsonObject> | undefined,
  [name = '', inner]: readonly string[],
): JsonObject | undefined => {
  const schema = properties?.get(name)
  return inner === undefined || !schema ? schema : propertiesOf(schema).get(inner)
}
