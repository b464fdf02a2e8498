/** Paths in pairs: `P`, which ends in a literal segment, and `P/{p}`; and the names of such pairs. */
import type { ViewOperation } from '../contract-view.js'

/** A pair of paths, which may be a collection. */
export interface PathPair {
  /** Path of the collection, without a trailing slash. */
  readonly path: string
  /** Path of a record, as the spec has it. */
  readonly itemPath: string
  /** Name of the last path parameter. */
  readonly parameter: string
  /** The literal segment before it. */
  readonly segment: string
  readonly onCollection: readonly ViewOperation[]
  readonly onItem: readonly ViewOperation[]
}

/** The pairs of a contract, and why the other operations belong to none. */
export interface PairedPaths {
  readonly pairs: readonly PathPair[]
  readonly unpaired: ReadonlyMap<ViewOperation, string>
}

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/u, '') : path)
const itemPattern = /^(?<collection>.*\/(?<segment>[^/{}]+))\/\{(?<parameter>[^/{}]+)\}$/u

/** Pairs the paths of a contract. */
export function pairPaths(operations: readonly ViewOperation[]): PairedPaths {
  const byPath = new Map<string, ViewOperation[]>()
  for (const operation of operations) {
    const path = withoutSlash(operation.path)
    byPath.set(path, [...(byPath.get(path) ?? []), operation])
  }
  const pairs: PathPair[] = []
  const unpaired = new Map<ViewOperation, string>()
  const paired = new Map<string, string>()
  for (const [path, onItem] of byPath) {
    const { collection, parameter, segment } = itemPattern.exec(path)?.groups ?? {}
    if (collection === undefined || parameter === undefined || segment === undefined) continue
    const onCollection = byPath.get(collection)
    const other = paired.get(collection)
    const itemPath = onItem[0]?.path ?? path
    if (!onCollection) for (const each of onItem) unpaired.set(each, `there is no path ${collection} next to ${path}`)
    else if (other !== undefined) for (const each of onItem) unpaired.set(each, `${other} is the same path`)
    else {
      paired.set(collection, path)
      pairs.push({ path: collection, itemPath, parameter, segment, onCollection, onItem })
    }
  }
  for (const [path, others] of byPath) {
    if (itemPattern.test(path) || paired.has(path)) continue
    const reason = path.endsWith('}')
      ? 'its path has no literal segment before the last parameter'
      : `there is no path ${path}/{id} next to it`
    for (const each of others) unpaired.set(each, reason)
  }
  return { pairs, unpaired }
}

/** Names paths: the last segment; where several would share it, all literal segments; where these are shared too, the whole path. */
export function nameCollections(paths: readonly string[]): ReadonlyMap<string, string> {
  const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')
  const forms = [
    (path: string): string => segmentsOf(path).at(-1) ?? path,
    (path: string): string =>
      segmentsOf(path)
        .filter((segment) => !segment.includes('{'))
        .join('/'),
    (path: string): string => segmentsOf(path).join('/'),
  ]
  return new Map(
    paths.map((path) => {
      const free = forms.find((form) => paths.every((other) => other === path || form(other) !== form(path)))
      return [path, (free ?? ((each: string) => each))(path)]
    }),
  )
}
