/** Reads the values of `x-double`, which take precedence over the rules. Ignores a wrong value: `checkOverrides` reports it. */
import type { Operation, Parameter } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
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

interface PathOverride {
  readonly collection: string | undefined
  /** True if the records of the path are kept apart from those of other paths with the same schema. */
  readonly isSeparate: boolean
  readonly isSingleton: boolean
  /** The collection whose records the path lists. */
  readonly view: string | undefined
  /** The record property that is the id, with a dot before a property inside of it. */
  readonly id: string | undefined
  /** The record property that the id of a new record is made equal to. */
  readonly from: string | undefined
  /** Record properties by path parameter. */
  readonly parents: ReadonlyMap<string, string>
}

/** Reads the `x-double` of a path item. Of an id of several properties, the last is that of the last parameter, the others are those of the parameters before it. */
export function pathOverrideOf({ path, pathOverride }: Operation): PathOverride {
  const { collection, from, id, parents, view } = objectOf(pathOverride?.value)
  const ids = [id].flat().filter((each) => typeof each === 'string')
  const trailing = parameterNames(path).slice(-ids.length)
  const others = path.endsWith('}')
    ? ids.slice(0, -1).map((each, at): [string, string] => [trailing[at] ?? '', each])
    : []
  const given = Object.entries(objectOf(parents)).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return {
    collection: typeof collection === 'string' && collection !== 'separate' ? collection : undefined,
    isSeparate: collection === 'separate',
    isSingleton: pathOverride?.value === 'singleton',
    view: typeof view === 'string' ? view : undefined,
    id: ids.at(-1),
    from: typeof from === 'string' ? from : undefined,
    parents: new Map([...others, ...given]),
  }
}

/** The effects that `off` turns off. `etag` includes the conditions, and `body` is the refusal of one that is not documented. */
export const removableEffects: ReadonlySet<unknown> = new Set(
  'etag idempotency parent cascade updated clash body'.split(' '),
)

/** @returns The role, if the rules do not decide; true if each caller has access to every record; and the effects that are turned off. */
export function operationOverrideOf({ override }: Operation): {
  readonly role: CollectionRole | 'mocked' | undefined
  readonly isForEveryone: boolean
  /** The properties that an action sets. */
  readonly set: JsonObject | undefined
  readonly off: ReadonlySet<unknown>
  /** True if a listing promises its order. */
  readonly isOrderPromised: boolean
  /** True if the contract has changed before the service. */
  readonly isChangeExpected: boolean
} {
  const value = override?.value
  const { access, expected, off, order, role, set }: JsonObject = isObject(value) ? value : { role: value }
  return {
    set: isObject(set) ? set : undefined,
    role: role === 'mocked' || isRoleName(role) ? role : undefined,
    isForEveryone: access === 'everyone',
    off: new Set([off].flat()),
    isOrderPromised: order === 'promised',
    isChangeExpected: expected === 'changed',
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
