/** Reads the values of `x-double`, which take precedence over the rules. Ignores a wrong value: `checkOverrides` reports it. */
import type { Operation, Parameter } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
import { isObject, type JsonObject, objectOf } from '../documents/object.js'
import type { CollectionRole, Comparison, EffectKind } from './explanation.js'

/** The kind of path that an operation has: that of the collection, of a record, of a verb below that, or of the caller's own record. */
export type RolePlace = 'collection' | 'item' | 'action' | 'own'

export const rolePlaces: Readonly<Record<CollectionRole, RolePlace>> = {
  list: 'collection',
  create: 'collection',
  read: 'item',
  replace: 'item',
  update: 'item',
  remove: 'item',
  action: 'action',
}

/** Tells whether a value is a role, or `mocked`. */
export const isRoleName = (value: unknown): value is CollectionRole | 'mocked' =>
  typeof value === 'string' && (value === 'mocked' || Object.hasOwn(rolePlaces, value))

/** Reads the `x-double` of a path item. Of an id of several properties, the last is that of the last parameter, the others are those of the parameters before it. */
export function pathOverrideOf({ path, pathOverride }: Operation) {
  const { collection, from, id, made, parents, view } = objectOf(pathOverride?.value)
  const ids = [id].flat().filter((each) => typeof each === 'string')
  const trailing = parameterNames(path).slice(-ids.length)
  const others = path.endsWith('}') ? ids.slice(0, -1).map((each, at) => [trailing[at] ?? '', each] as const) : []
  const given = Object.entries(objectOf(parents)).flatMap(([name, property]) =>
    typeof property === 'string' ? [[name, property] as const] : [],
  )
  return {
    collection: typeof collection === 'string' && collection !== 'separate' ? collection : undefined,
    /** True if the records of the path are kept apart from those of other paths with the same schema. */
    isSeparate: collection === 'separate',
    isSingleton: pathOverride?.value === 'singleton',
    view: typeof view === 'string' ? view : undefined,
    /** The record property that is the id, with a dot before a property inside of it. */
    id: ids.at(-1),
    /** The template of the id of a new record, as `text-template.ts` has it. */
    from: typeof from === 'string' ? from.replace(/^[^{}]+$/u, '{$&}') : undefined,
    /** Templates by record property, as `text-template.ts` has them. */
    made: objectOf(made),
    /** Record properties by path parameter. */
    parents: new Map([...others, ...given]),
  }
}

/** The effects that `off` turns off. `etag` includes the conditions, and `body` is the refusal of one that is not documented. */
export const removableEffects: ReadonlySet<unknown> = new Set(
  'etag idempotency parent cascade updated clash body'.split(' '),
)

export function operationOverrideOf({ override }: Operation) {
  const value = override?.value
  const { access, expected, off, order, role, set }: JsonObject = isObject(value) ? value : { role: value }
  return {
    set: isObject(set) ? set : undefined,
    /** Undefined: the rules decide. */
    role: isRoleName(role) ? role : undefined,
    /** True if each caller has access to every record. */
    isForEveryone: access === 'everyone',
    off: new Set([off].flat()),
    /** True if a listing promises its order. */
    isOrderPromised: order === 'promised',
    /** True if the contract has changed before the service. */
    isChangeExpected: expected === 'changed',
  }
}

/** The effects that `x-double` names, other than filters by a property. */
export const parameterMeanings: Readonly<Partial<Record<string, EffectKind>>> = {
  limit: 'cap',
  offset: 'skip',
  page: 'page',
  cursor: 'cursor',
  sort: 'sort',
  search: 'search',
}

/** Reads the `x-double` of a parameter: `ignore`, one of `parameterMeanings`, a property, or a range. Undefined: the rules decide. */
export function parameterOverrideOf({
  override,
}: Parameter): string | { readonly compare: Comparison; readonly property: string } | undefined {
  const value = override?.value
  if (typeof value === 'string') return value === '' ? undefined : value
  const [[key, property] = [], another] = Object.entries(objectOf(value))
  const compare = (['gt', 'gte', 'lt', 'lte'] as const).find((each) => each === key)
  return compare && !another && typeof property === 'string' ? { compare, property } : undefined
}
