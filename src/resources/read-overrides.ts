/** Reads the values of `x-double`, which take precedence over the rules. Ignores a wrong value: `checkOverrides` reports it. */
import type { Operation, Parameter } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import type { RoleName } from './explanation.js'

/** The kind of path that an operation has: that of the collection, or that of a record. */
export type RolePlace = 'collection' | 'item'

/** The kind of path that each role uses. */
export const rolePlaces: Readonly<Record<RoleName, RolePlace>> = {
  list: 'collection',
  create: 'collection',
  read: 'item',
  replace: 'item',
  update: 'item',
  remove: 'item',
}

export const isRoleName = (value: unknown): value is RoleName =>
  typeof value === 'string' && Object.hasOwn(rolePlaces, value)

/** The `x-double` of a path item. */
export interface PathOverride {
  /** The name of its collection. Undefined: the rules decide. */
  readonly collection: string | undefined
  /** The record property that is the id. Undefined: the rules decide. */
  readonly id: string | undefined
  /** Record properties by path parameter. */
  readonly parents: ReadonlyMap<string, string>
}

/** The `x-double` of an operation. */
export interface OperationOverride {
  /** Undefined: the rules decide. */
  readonly role: RoleName | 'mocked' | undefined
  /** True if each caller has access to every record. */
  readonly isForEveryone: boolean
}

/** Reads the `x-double` of the path item of an operation. */
export function pathOverrideOf({ pathOverride }: Operation): PathOverride {
  const value = isObject(pathOverride?.value) ? pathOverride.value : {}
  const { collection, id, parents } = value
  return {
    collection: typeof collection === 'string' ? collection : undefined,
    id: typeof id === 'string' ? id : undefined,
    parents: new Map(
      Object.entries(isObject(parents) ? parents : {}).filter(
        (pair): pair is [string, string] => typeof pair[1] === 'string',
      ),
    ),
  }
}

/** Reads the `x-double` of an operation. */
export function operationOverrideOf({ override }: Operation): OperationOverride {
  const value = override?.value
  const { access, role } = isObject(value) ? value : { access: undefined, role: value }
  return { role: role === 'mocked' || isRoleName(role) ? role : undefined, isForEveryone: access === 'everyone' }
}

/** Reads the `x-double` of a parameter: `limit`, `offset`, `page`, `ignore` or a property. Undefined: the rules decide. */
export const parameterOverrideOf = ({ override }: Parameter): string | undefined =>
  typeof override?.value === 'string' ? override.value : undefined
