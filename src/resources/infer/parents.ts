/** The path parameters before the last: they select records, and are set on create. */
import type { JsonObject } from '../../documents/object.js'
import type { ViewOperation, ViewParameter } from '../contract-view.js'
import { scalarType } from '../schema/compare.js'
import { isSameName } from '../words.js'

/** A path parameter that names a parent. */
export interface Parent {
  /** Name of the path parameter. */
  readonly parameter: string
  /** The record property that holds it. Undefined: it stands in `$parents`. */
  readonly property: string | undefined
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
}

/** Finds the parents of a collection. @returns Why they cannot be told, as a clause. */
export function findParents(
  path: string,
  operations: readonly ViewOperation[],
  idProperty: string,
  properties: ReadonlyMap<string, JsonObject>,
): readonly Parent[] | string {
  const parameters = operations.flatMap((operation) => operation.parameters)
  const parents: Parent[] = []
  for (const [, name] of path.matchAll(/\{([^{}]+)\}/gu)) {
    if (name === undefined) continue
    if (!path.includes(`/{${name}}/`)) return `its path parameter ${name} is no whole segment`
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    const type = parameter && typeOf(parameter)
    if (type === undefined) return `its path parameter ${name} is no string, number or boolean`
    const [property, schema] = [...properties].find(([key]) => key !== idProperty && isSameName(key, name)) ?? []
    if (schema && scalarType(schema) !== type)
      return `its path parameter ${name} and the property ${property ?? ''} differ in type`
    parents.push({ parameter: name, property, type })
  }
  return parents
}

const typeOf = ({ schema }: ViewParameter): Parent['type'] | undefined => scalarType(schema)

/** Returns the key of a record: its id, with the values of its parents where it has some. */
export const entryKey = (id: unknown, parents: readonly unknown[]): string =>
  parents.length === 0 ? String(id) : JSON.stringify([...parents.map(String), String(id)])

/** The values of parents by the properties that hold them, and those that no property holds. */
interface ParentValues {
  readonly properties: JsonObject
  /** Undefined: every parent has a property. */
  readonly others: JsonObject | undefined
}

/** Splits the values of parents: properties of the record, and others. */
export function placeParents(parents: readonly Parent[], valueOf: (parent: Parent) => unknown): ParentValues {
  const values = parents.map((parent) => ({ ...parent, value: valueOf(parent) }))
  const others = values.filter(({ property }) => property === undefined)
  return {
    properties: Object.fromEntries(
      values.flatMap(({ property, value }) => (property === undefined ? [] : [[property, value]])),
    ),
    others:
      others.length === 0
        ? undefined
        : Object.freeze(Object.fromEntries(others.map(({ parameter, value }) => [parameter, value]))),
  }
}
