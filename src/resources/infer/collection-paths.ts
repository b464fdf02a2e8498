/** Finds and names the paths that may be collections: pairs of `P`, which ends in a literal segment, and `P/{p}`, or paths with `x-double`. */
import type { Operation } from '../../contract/contract.js'
import { literalSegments, parameterNames } from '../../contract/path-template.js'
import { operationOverrideOf, pathOverrideOf, type RolePlace, rolePlaces } from '../read-overrides.js'

/** An operation, and the kind of path that its role needs. */
export interface CollectionMember {
  readonly operation: Operation
  readonly place: RolePlace
}

export interface CollectionPaths {
  /** The name in `x-double`. Undefined: the name comes from the paths. */
  readonly name: string | undefined
  /** Path of the collection, without a trailing slash. */
  readonly path: string
  /** Path of a record, in the form of the spec. */
  readonly itemPath: string
  readonly parameter: string
  readonly segment: string
  /** The operations on the collection, then those on a record. */
  readonly members: readonly CollectionMember[]
}

/** The paths of a contract that may be collections, and the reasons why the other operations belong to none. */
export interface GroupedPaths {
  readonly groups: readonly CollectionPaths[]
  readonly ungrouped: ReadonlyMap<Operation, string>
}

/** Paths have no trailing slash. */
type ByPath = ReadonlyMap<string, readonly Operation[]>

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/u, '') : path)
const itemPattern = /^(?<collection>.*\/(?<segment>[^/{}]+))\/\{(?<parameter>[^/{}]+)\}$/u

/** Groups the paths of a contract: paths with a collection in `x-double` by its name, the others in pairs of `P` and `P/{p}`. */
export function groupPaths(operations: readonly Operation[]): GroupedPaths {
  const byPath = new Map<string, Operation[]>()
  for (const operation of operations) {
    const path = withoutSlash(operation.path)
    byPath.set(path, [...(byPath.get(path) ?? []), operation])
  }
  const ungrouped = new Map<Operation, string>()
  const declared = groupDeclared(byPath, ungrouped)
  const named = new Set(declared.flatMap(({ members }) => members.map(({ operation }) => operation)))
  for (const operation of ungrouped.keys()) named.add(operation)
  const others = new Map([...byPath].filter(([, [first]]) => first && !named.has(first)))
  return { groups: [...declared, ...pairPaths(others, ungrouped)], ungrouped }
}

/** Groups the paths with a collection in `x-double`. It may be at `P` or at `P/{p}`, and applies to both. */
function groupDeclared(byPath: ByPath, ungrouped: Map<Operation, string>): readonly CollectionPaths[] {
  if ([...byPath.values()].every(([first]) => !first || pathOverrideOf(first).collection === undefined)) return []
  const ownName = (path: string | undefined): string | undefined => {
    const [first] = (path === undefined ? undefined : byPath.get(path)) ?? []
    return first && pathOverrideOf(first).collection
  }
  const names = new Map<string, string>()
  const collectionOf = (path: string): string | undefined => itemPattern.exec(path)?.groups?.['collection']
  for (const path of byPath.keys()) {
    const items = [...byPath.keys()].filter((other) => collectionOf(other) === path)
    const name = [path, collectionOf(path), ...items].map(ownName).find((each) => each !== undefined)
    if (name !== undefined) names.set(path, name)
  }
  return [...new Set(names.values())].flatMap((name) => {
    const paths = [...names].filter(([, other]) => other === name).map(([path]) => path)
    const members = paths.flatMap((path) => (byPath.get(path) ?? []).map((each) => memberOf(each, path)))
    const itemPath = paths.filter((path) => path.endsWith('}')).toSorted(byNumberOfParameters)[0]
    if (itemPath === undefined) {
      const reason = `no path of the collection ${name} ends in a parameter for the id of a record`
      for (const { operation } of members) ungrouped.set(operation, reason)
      return []
    }
    const { collection, segment = name } = itemPattern.exec(itemPath)?.groups ?? {}
    const ofCollection = paths.filter((path) => !path.endsWith('}'))
    return {
      name,
      path: ofCollection.find((path) => path === collection) ?? ofCollection[0] ?? itemPath.replace(/\/[^/]*$/u, ''),
      itemPath: byPath.get(itemPath)?.[0]?.path ?? itemPath,
      parameter: lastParameterOf(itemPath),
      segment,
      members: inOrder(members),
    }
  })
}

const byNumberOfParameters = (one: string, other: string): number =>
  parameterNames(one).length - parameterNames(other).length

/** Returns the name of the last parameter of a path. Empty: there is none. */
export const lastParameterOf = (path: string): string => parameterNames(path).at(-1) ?? ''

function memberOf(operation: Operation, path: string): CollectionMember {
  const { role } = operationOverrideOf(operation)
  const place = path.endsWith('}') ? 'item' : 'collection'
  return { operation, place: role === undefined || role === 'mocked' ? place : rolePlaces[role] }
}

const inOrder = (members: readonly CollectionMember[]): readonly CollectionMember[] => [
  ...members.filter(({ place }) => place === 'collection'),
  ...members.filter(({ place }) => place === 'item'),
]

/** Pairs `P`, which ends in a literal segment, with `P/{p}`. */
function pairPaths(byPath: ByPath, ungrouped: Map<Operation, string>): readonly CollectionPaths[] {
  const pairs: CollectionPaths[] = []
  const paired = new Map<string, string>()
  for (const [path, onItem] of byPath) {
    const { collection, parameter, segment } = itemPattern.exec(path)?.groups ?? {}
    if (collection === undefined || parameter === undefined || segment === undefined) continue
    const onCollection = byPath.get(collection)
    const other = paired.get(collection)
    const itemPath = onItem[0]?.path ?? path
    if (!onCollection) for (const each of onItem) ungrouped.set(each, `there is no path ${collection} next to ${path}`)
    else if (other !== undefined) for (const each of onItem) ungrouped.set(each, `${other} is the same path`)
    else {
      paired.set(collection, path)
      const at =
        (place: RolePlace) =>
        (operation: Operation): CollectionMember => ({ operation, place })
      const members = [...onCollection.map(at('collection')), ...onItem.map(at('item'))]
      pairs.push({ name: undefined, path: collection, itemPath, parameter, segment, members })
    }
  }
  for (const [path, others] of byPath) {
    if (itemPattern.test(path) || paired.has(path)) continue
    const reason = path.endsWith('}')
      ? 'its path has no literal segment before the last parameter'
      : `there is no path ${path}/{id} next to it`
    for (const each of others) ungrouped.set(each, reason)
  }
  return pairs
}

/** Names paths by their last segment; if several paths share it, by all literal segments; if they share these too, by the whole path. @param taken - Names that are not free. */
export function nameCollections(paths: readonly string[], taken: readonly string[] = []): ReadonlyMap<string, string> {
  const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
  const forms = [
    (path: string): string => segmentsOf(path).at(-1) ?? path,
    (path: string): string => literalSegments(path).join('/'),
    (path: string): string => segmentsOf(path).join('/'),
  ]
  return new Map(
    paths.map((path) => {
      const free = forms.find(
        (form) => !taken.includes(form(path)) && paths.every((other) => other === path || form(other) !== form(path)),
      )
      return [path, (free ?? ((each: string) => each))(path)]
    }),
  )
}
