/** The parents of a record: path parameters before the last one. They select records, and are set in created records. */
import { asSegments, shapeOf, untilParameter } from '../../contract/path-template.js'
import { type JsonObject, objectAt, onlyOf } from '../../documents/object.js'
import { onceFor } from '../../once.js'

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

interface Holder {
  readonly model: {
    readonly itemPath: string | undefined
    readonly parameter?: { readonly name: string } | undefined
  }
}

/** Returns the shape of a path as its segments mean it. */
export const shape = onceFor((path: string) => shapeOf(asSegments(path)))

/** Finds the collections whose records a path names up to a parameter: those of `/users/{id}` for `user` in `/users/{user}/orders`. */
export function holdersByPath<C extends Holder>(path: string, parameter: string, collections: readonly C[]) {
  const own = shape(untilParameter(asSegments(path), parameter))
  return collections.filter(({ model: { itemPath } }) => itemPath !== undefined && shape(itemPath) === own)
}

/** Finds the only collection whose records a path parameter such as `clusterId` or `team_id_or_slug` names, wherever their path is. Undefined: none, or several. */
export const holderByName = <C extends Holder>(parameter: string, collections: readonly C[]): C | undefined =>
  /(?:[a-z]Id|[_-]id)(?:_or_[a-z]+)?$/u.test(parameter)
    ? onlyOf(collections.filter(({ model }) => model.parameter?.name === parameter))
    : undefined

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
