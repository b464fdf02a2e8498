/** The parents of a record: path parameters before the last one. They select records, and are set in created records. */
import { type JsonObject, objectAt } from '../../documents/object.js'

export interface Parent {
  readonly parameter: string
  /** The record property that contains it. Undefined: it is in `$parents`. */
  readonly property: string | undefined
  /** The property inside of that one, if it is an object, such as `id` of `project`. */
  readonly inner?: string | undefined
  /** Its name in `$parents`, if no property contains it. */
  readonly key: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  readonly schema: JsonObject
}

/** Finds the only collection whose records a path parameter such as `clusterId` names, wherever their path is. Undefined: none, or several. */
export function holderByName<
  C extends { readonly model: { readonly parameter?: { readonly name: string } | undefined } },
>(parameter: string, collections: readonly C[]): C | undefined {
  if (!/(?:[a-z]Id|[_-]id)$/u.test(parameter)) return undefined
  const [only, ...others] = collections.filter(({ model }) => model.parameter?.name === parameter)
  return others.length === 0 ? only : undefined
}

/** Tells whether two parents have the same property, or the same name in `$parents`. */
export const isKeptInSamePlace = (one: Parent, other: Parent): boolean =>
  one.property === other.property && one.inner === other.inner && (one.property !== undefined || one.key === other.key)

/** Returns the key of a record: its id, and the values of its parents if it has any. */
export const entryKey = (id: unknown, parents: readonly unknown[]): string =>
  parents.length === 0 ? String(id) : JSON.stringify([...parents.map(String), String(id)])

/** Returns the value of a parent in a record, and in its `$parents`. */
export function parentIn({ inner, key, property }: Parent, record: JsonObject, others: JsonObject | undefined) {
  if (property === undefined) return others?.[key]
  return inner === undefined ? record[property] : objectAt(record, property)[inner]
}

/** Splits the values of parents: properties of the record, and others. `others` is undefined if every parent has a property. */
export function placeParents(
  parents: readonly Parent[],
  valueOf: (parent: Parent) => unknown,
): { readonly properties: JsonObject; readonly others: JsonObject | undefined } {
  const inside = parents.flatMap((parent) => {
    const { inner, property } = parent
    const value = valueOf(parent)
    return property === undefined ? [] : [[property, inner === undefined ? value : { [inner]: value }]]
  })
  const outside = parents.filter(({ property }) => property === undefined)
  const others = Object.freeze(Object.fromEntries(outside.map((parent) => [parent.key, valueOf(parent)])))
  return { properties: Object.fromEntries(inside), others: outside.length === 0 ? undefined : others }
}
