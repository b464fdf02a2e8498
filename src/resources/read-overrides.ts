/** Reads the values of `x-double`, which take precedence over the rules. Ignores a wrong value: `checkOverrides` reports it. */
import type { Operation, Parameter } from '../contract/contract.js'
import { isObject, type JsonObject, objectOf } from '../documents/object.js'
import type { CollectionRole, Comparison, EffectKind } from './explanation.js'

/** The kind of path that an operation has: that of the collection, of a record, of a verb below that, or of the caller's own record. */
export type RolePlace = 'collection' | 'item' | 'action' | 'own'

/** The kind of path that each role uses. */
export const rolePlaces: Readonly<Record<CollectionRole, RolePlace>> = {
  list: 'collection',
  create: 'collection',
  read: 'item',
  replace: 'item',
  update: 'item',
  remove: 'item',
  action: 'action',
}

export const isRoleName = (value: unknown): value is CollectionRole =>
  typeof value === 'string' && Object.hasOwn(rolePlaces, value)

/** @returns The name of the collection and the record property that is the id, if the rules do not decide; and record properties by path parameter. */
export function pathOverrideOf({ pathOverride }: Operation): {
  readonly collection: string | undefined
  readonly id: string | undefined
  readonly parents: ReadonlyMap<string, string>
} {
  const value = isObject(pathOverride?.value) ? pathOverride.value : {}
  const { collection, id, parents } = value
  return {
    collection: typeof collection === 'string' ? collection : undefined,
    id: typeof id === 'string' ? id : undefined,
    parents: new Map(
      Object.entries(objectOf(parents)).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    ),
  }
}

/** The effects that `off` turns off. `etag` includes the conditions. */
export const removableEffects: ReadonlySet<unknown> = new Set(['etag', 'idempotency', 'parent', 'cascade', 'updated'])

/** @returns The role, if the rules do not decide; true if each caller has access to every record; and the effects that are turned off. */
export function operationOverrideOf({ override }: Operation): {
  readonly role: CollectionRole | 'mocked' | undefined
  readonly isForEveryone: boolean
  /** The properties that an action sets. */
  readonly set: JsonObject | undefined
  readonly off: ReadonlySet<unknown>
} {
  const value = override?.value
  const { access, off, role, set }: JsonObject = isObject(value) ? value : { role: value }
  return {
    set: isObject(set) ? set : undefined,
    role: role === 'mocked' || isRoleName(role) ? role : undefined,
    isForEveryone: access === 'everyone',
    off: new Set([off].flat()),
  }
}

type Kinds = Readonly<Partial<Record<string, EffectKind>>>
const pagingMeanings: Kinds = { limit: 'cap', offset: 'skip', page: 'page', cursor: 'cursor' }
/** The effects that `x-double` names, other than filters by a property. */
export const parameterMeanings: Kinds = { ...pagingMeanings, sort: 'sort', search: 'search' }

interface RangeOverride {
  readonly compare: Comparison
  readonly property: string
}

/** Reads the `x-double` of a parameter: `ignore`, one of `parameterMeanings`, a property, or a range. Undefined: the rules decide. */
export function parameterOverrideOf({ override }: Parameter): string | RangeOverride | undefined {
  const value = override?.value
  if (typeof value === 'string') return value === '' ? undefined : value
  const [[key, property] = [], another] = Object.entries(objectOf(value))
  const compare = (['gt', 'gte', 'lt', 'lte'] as const).find((each) => each === key)
  return compare && !another && typeof property === 'string' ? { compare, property } : undefined
}
