/** Finds and names the paths that may be collections: pairs of `P`, which ends in a literal segment, and `P/{p}`, or paths with `x-double`. */
import type { Operation } from '../../contract/contract.js'
import { asSegments, lastLiteral, literalSegments, parameterNames, shapeOf } from '../../contract/path-template.js'
import { propertiesOf, scalarType } from '../../contract/schemas/read-schema.js'
import { groupBy, type JsonObject, onlyOf } from '../../documents/object.js'
import { isSameName, singularOf, singularsOf, wordsOf } from '../names.js'
import { operationOverrideOf, pathOverrideOf, type RolePlace, rolePlaces } from '../read-overrides.js'
import { findListBody } from './list-body.js'
import { countShared, findRecordBody } from './record-body.js'
import { jsonContentOf, successResponseOf } from './success-response.js'

export interface CollectionMember {
  readonly operation: Operation
  readonly place: RolePlace
  /** Record properties by path parameter, where this path is joined with others. Default: those of `x-double`. */
  readonly parents?: ReadonlyMap<string, string>
}

/**
 * The paths of a group: a listing and that of a record (`pair`), a listing alone (`list`), that of a record alone or with a listing elsewhere (`item`), or
 * that of one object. Those of `list` and `item` need coherence.
 */
export type GroupKind = 'pair' | 'list' | 'item' | 'singleton'

export interface CollectionPaths {
  /** The name in `x-double`. Undefined: the name comes from the paths. */
  readonly name: string | undefined
  readonly kind: GroupKind
  /** Path of the collection or the singleton, as its segments mean it. */
  readonly path: string
  /** Path of a record, in the form of the spec. Undefined: there is none. */
  readonly itemPath: string | undefined
  readonly segment: string
  /** The operations on the collection, then those on a record. */
  readonly members: readonly CollectionMember[]
}

type ByPath = ReadonlyMap<string, readonly Operation[]>

const itemPattern = /^(?<collection>.*\/(?<segment>[^/{}]+))(?:\/\{[^/{}]+\})+$/u

/**
 * Groups the paths of a contract: paths with a collection in `x-double` by its name, then `P` with `P/{p}`, and either of them alone.
 *
 * @returns The paths that may be collections, and the reasons why the other operations belong to none.
 */
export function groupPaths(operations: readonly Operation[]) {
  const paths = new Set(operations.map(({ path }) => path))
  // `/widget.json` next to `/widget` is something else.
  const isOther = (path: string): boolean => path.endsWith('.json') && paths.has(path.replace(/\.json$/u, ''))
  const meant = meantPaths(operations)
  const withPlural = pluralPaths(groupBy(operations, ({ path }) => asSegments(path)))
  const byPath = groupBy(operations, (operation) =>
    isOther(operation.path) ? operation.path : (meant.get(operation) ?? withPlural(asSegments(operation.path))),
  )
  const ungrouped = new Map<Operation, string>()
  const declared = groupDeclared(byPath)
  const named = new Set(declared.flatMap(({ members }) => members.map(({ operation }) => operation)))
  const others = new Map([...byPath].filter(([, [first]]) => first && !named.has(first)))
  return { groups: [...declared, ...groupByPath(others, ungrouped)], ungrouped }
}

/**
 * Returns a function that gives `/silence/{id}`, what is below it, and the `POST /silence` of a create, the plural of `/silences`. There must be
 * no path `/silences/{id}`, and no `GET /silence`, which would show another thing.
 */
function pluralPaths(byPath: ByPath): (path: string) => string {
  const ofRecords = new Set([...byPath.keys()].flatMap((path) => /^(.*\/[^/{}]+)\/\{/u.exec(path)?.[1] ?? []))
  const plurals = [...byPath].flatMap(([plural, listing]) => {
    const [, before = '', noun = ''] = /^(.*\/)([^/{}]+)$/u.exec(plural) ?? []
    const singulars = singularsOf(noun).map((each) => before + each)
    const singular = singulars.find((each) => each !== plural && ofRecords.has(each))
    if (singular === undefined || ofRecords.has(plural)) return []
    const methods = (byPath.get(singular) ?? []).map(({ method }) => method)
    return methods.every((method) => method === 'POST' && !has(listing, method)) ? [[singular, plural] as const] : []
  })
  return (path) => {
    const found = plurals.find(([singular]) => path === singular || path.startsWith(`${singular}/{`))
    return found ? found[1] + path.slice(found[0].length) : path
  }
}

/** The last words of paths of a collection, and of a record, that say what their methods say too. */
const verbs: Readonly<Record<'collection' | 'item', Readonly<Record<string, RegExp>>>> = {
  collection: { GET: /^(?:all|get-?all|index|list|show)$/iu, POST: /^(?:add|create|insert|new|register)$/iu },
  item: {
    GET: /^(?:get|show)$/iu,
    PUT: /^(?:edit|update)$/iu,
    PATCH: /^(?:edit|update)$/iu,
    DELETE: /^(?:delete|destroy|remove)$/iu,
  },
}

/**
 * Returns the paths without the verbs that their methods say too: `PUT /tasks/edit/{id}` is that of `/tasks/{id}`, and `GET /tasks/list` that of
 * `/tasks`. Another operation must have such a path too, and none this method at it.
 */
function meantPaths(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const short = new Map<Operation, string>()
  for (const operation of operations) {
    const segments = asSegments(operation.path).split('/')
    const at = segments.findLastIndex((segment) => !segment.includes('{'))
    const path = segments.toSpliced(at, 1).join('/')
    // `/field/getAllFields` names the collection again.
    const words = wordsOf(segments[at] ?? '')
    const [noun = '', last = ''] = [segments[at - 1], words.at(-1)]
    const isNamedAgain =
      words.length > 1 && singularsOf(last).some((each) => singularsOf(noun).some((one) => isSameName(each, one)))
    const verb = isNamedAgain ? words.slice(0, -1).join('') : (segments[at] ?? '')
    const isVerb = verbs[path.endsWith('}') ? 'item' : 'collection'][operation.method]?.test(verb)
    if (isVerb && at > 1 && at >= segments.length - 2) short.set(operation, path)
  }
  const shape = (operation: Operation): string => shapeOf(short.get(operation) ?? asSegments(operation.path))
  const byShape = groupBy(operations, shape)
  const ofCollection = (operation: Operation): string => shape(operation).replace(/\/\{\}$/u, '')
  const byCollection = groupBy(operations, ofCollection)
  return new Map(
    [...short].flatMap(([operation, path]) => {
      const alike = (byShape.get(shape(operation)) ?? []).filter((each) => each !== operation)
      const isAlone = byCollection.get(ofCollection(operation))?.length === 1
      if (isAlone || alike.some(({ method }) => method === operation.method)) return []
      // The parameters are named as in the path without a verb, or in the first path with one.
      const whole = alike.find((each) => !short.has(each))
      const [first = operation] = byShape.get(shape(operation)) ?? []
      return [[operation, whole ? asSegments(whole.path) : (short.get(first) ?? path)] as const]
    }),
  )
}

/** Groups the paths with a collection in `x-double`. It may be at `P` or at `P/{p}`, and applies to both. */
function groupDeclared(byPath: ByPath): readonly CollectionPaths[] {
  const ownName = (path: string): string | undefined => {
    const [first] = byPath.get(path) ?? []
    return first && pathOverrideOf(first).collection
  }
  const collectionOf = (path: string): string => itemPattern.exec(path)?.groups?.['collection'] ?? ''
  const items = groupBy(byPath.keys(), collectionOf)
  const nameOf = (path: string): string | undefined =>
    [path, collectionOf(path), ...(items.get(path) ?? [])].flatMap((near) => ownName(near) ?? [])[0]
  return [...groupBy(byPath.keys(), nameOf)].flatMap(([name, paths]): CollectionPaths | [] => {
    if (name === undefined) return []
    const members = paths.flatMap((path) => (byPath.get(path) ?? []).map((each) => memberOf(each, path)))
    const itemPath = paths.filter((path) => path.endsWith('}')).toSorted(byNumberOfParameters)[0]
    const { collection, segment = name } = itemPattern.exec(itemPath ?? '')?.groups ?? {}
    const ofCollection = paths.filter((path) => !path.endsWith('}'))
    return {
      name,
      kind: itemPath === undefined ? 'list' : 'pair',
      path:
        ofCollection.find((path) => path === collection) ??
        ofCollection[0] ??
        (itemPath ?? '').replace(/\/[^/]*$/u, ''),
      itemPath: byPath.get(itemPath ?? '')?.[0]?.path ?? itemPath,
      segment,
      members: inOrder(members),
    }
  })
}

const byNumberOfParameters = (one: string, other: string): number =>
  parameterNames(one).length - parameterNames(other).length

/** Returns the name of the last parameter of a path. Empty: there is none. */
export const lastParameterOf = (path: string): string => parameterNames(asSegments(path)).at(-1) ?? ''

function memberOf(operation: Operation, path: string): CollectionMember {
  const { role } = operationOverrideOf(operation)
  const place = path.endsWith('}') ? 'item' : 'collection'
  return { operation, place: role === undefined || role === 'mocked' ? place : rolePlaces[role] }
}

const inOrder = (members: readonly CollectionMember[]): readonly CollectionMember[] => [
  ...members.filter(({ place }) => place === 'collection'),
  ...members.filter(({ place }) => place === 'item'),
]

/**
 * Groups the paths that `x-double` does not name. `P` ends in a literal segment, `P/{p}` in one parameter or several. A path below `P/{p}` that
 * ends in a verb, without GET, is that of an action.
 */
function groupByPath(byPath: ByPath, ungrouped: Map<Operation, string>): readonly CollectionPaths[] {
  const groups: CollectionPaths[] = []
  const grouped = new Set<string>()
  const at =
    (place: RolePlace) =>
    (operation: Operation): CollectionMember => ({ operation, place })
  const paths = [...byPath.keys()].toSorted(byNumberOfParameters)
  for (const path of paths) {
    const { collection, segment } = itemPattern.exec(path)?.groups ?? {}
    const onItem = byPath.get(path) ?? []
    // A POST alone at `/orders/{id}/{action}` is no path of a record.
    const isOfRecord = (other: string): boolean =>
      other.startsWith(`${path}/{`) && has(byPath.get(other) ?? [], 'GET', 'PUT', 'PATCH', 'DELETE')
    const isListing = paths.some(isOfRecord) && isOfCollection(onItem)
    const shorter = path.replace(/\/[^/]*$/u, '')
    // `/files/{owner}` lists the records of `/files/{owner}/{name}`, unless it is itself the path of a record.
    const listing =
      !grouped.has(shorter) && byPath.has(shorter) && isOfCollection(byPath.get(shorter) ?? []) ? shorter : collection
    if (collection === undefined || segment === undefined || listing === undefined || isListing) continue
    const elsewhere = byPath.has(listing) ? undefined : listingElsewhere(byPath, path)
    const onCollection = grouped.has(listing) ? undefined : byPath.get(elsewhere ?? listing)
    const isBelowItem = shorter !== listing && grouped.has(shorter)
    if (isBelowItem || (grouped.has(listing) && byPath.has(listing))) {
      for (const each of onItem) ungrouped.set(each, `${listing} is the path of another record`)
      continue
    }
    for (const each of onItem)
      if (each.method === 'POST' && has(onItem, 'PUT', 'PATCH')) ungrouped.set(each, 'PUT or PATCH changes the record')
    const isOther = (on: readonly Operation[]): boolean =>
      has(on, 'GET') && (!has(on, 'PUT') || ![undefined, shownBy(onItem)].includes(shownBy(on)))
    const actions = [...byPath].filter(([other, on]) => {
      const isVerb = other.startsWith(`${path}/`) && /^[^/{}]+$/u.test(other.slice(path.length + 1))
      return isVerb && !isOther(on) && !paths.some((below) => below.startsWith(`${other}/`))
    })
    for (const used of [path, elsewhere ?? listing, ...actions.map(([action]) => action)]) grouped.add(used)
    groups.push({
      name: undefined,
      kind: onCollection && elsewhere === undefined ? 'pair' : 'item',
      path: listing,
      itemPath: (onItem.find(({ method }) => method === 'GET') ?? onItem[0])?.path ?? path,
      segment,
      members: [
        ...(onCollection ?? []).map(at('collection')),
        ...onItem.filter((each) => !ungrouped.has(each)).map(at('item')),
        ...actions.flatMap(([, operations]) => operations.map(at('action'))),
      ],
    })
  }
  for (const [path, operations] of byPath) {
    if (grouped.has(path)) continue
    const segment = literalSegments(path).at(-1)
    const isSingleton = operations.some((each) => pathOverrideOf(each).isSingleton)
    const isList = !isSingleton && !changesWhole(operations) && listsRecords(operations)
    const isShown = isSingleton || (!path.endsWith('}') && has(operations, 'GET'))
    const isDeclared = operations.some((each) => operationOverrideOf(each).role === 'list')
    const isChanged = isList ? isDeclared || has(operations, 'POST') : has(operations, 'PATCH', 'PUT', 'POST', 'DELETE')
    if (segment !== undefined && isShown && isChanged) {
      const [kind, place] = isList ? (['list', 'collection'] as const) : (['singleton', 'item'] as const)
      groups.push({ name: undefined, kind, path, itemPath: undefined, segment, members: operations.map(at(place)) })
      continue
    }
    const reason = path.endsWith('}')
      ? 'its path has no literal segment before the last parameter'
      : `there is no path ${path}/{id} next to it`
    for (const each of operations) if (!ungrouped.has(each)) ungrouped.set(each, reason)
  }
  return groups
}

/**
 * Finds the listing of the records of a path without one: `/queues/{queueId}/tickets` for `/tickets/{ticketId}`. It is the only one, has the noun of
 * the path, and shows the same records. Undefined: there is none.
 */
function listingElsewhere(byPath: ByPath, itemPath: string): string | undefined {
  const noun = singularsOf(lastLiteral(itemPath))
  const record = shownBy(byPath.get(itemPath) ?? [])
  if (!record || parameterNames(itemPath).length > 1) return undefined
  const listings = [...byPath].filter(([path, operations]) => {
    const isNamed = !path.endsWith('}') && singularsOf(lastLiteral(path)).some((each) => noun.includes(each))
    return isNamed && listsRecords(operations, record)
  })
  const path = onlyOf(listings)?.[0]
  const isBelow = path !== undefined && parameterNames(path).length > 0
  return isBelow && ![...byPath.keys()].some((other) => other.startsWith(`${path}/{`)) ? path : undefined
}

const has = (operations: readonly Operation[], ...methods: readonly string[]): boolean =>
  operations.some(({ method }) => methods.includes(method))

const shownBy = (operations: readonly Operation[]): JsonObject | undefined => {
  const get = operations.find(({ method }) => method === 'GET')
  return get && successResponseOf(get, '200').json?.schema
}

/** Tells whether PUT or PATCH takes properties that GET shows next to its array: the object is no page of a list. */
function changesWhole(operations: readonly Operation[]): boolean {
  const change = operations.find(({ method }) => method === 'PUT' || method === 'PATCH')
  const sent = propertiesOf(jsonContentOf(change?.requestBody?.contents ?? [])?.schema ?? {})
  const shown = propertiesOf(shownBy(operations) ?? {})
  return [...sent.keys()].filter((name) => scalarType(shown.get(name) ?? {}) !== undefined).length > 1
}

/** @param record - The body of a read that must show the same records: by their schema, or by some equal properties. Default: any. */
function listsRecords(operations: readonly Operation[], record?: JsonObject): boolean {
  const noun = lastLiteral(operations[0]?.path ?? '')
  const schema = shownBy(operations)
  const list = schema && findListBody(schema, noun)
  if (typeof list !== 'object' || !record) return typeof list === 'object'
  const properties = propertiesOf(list.items)
  const fitOf = (each: JsonObject): number => (each === list.items ? Infinity : countShared(each, properties))
  const shown = findRecordBody(record, fitOf, singularOf(noun))
  return shown !== undefined && fitOf(shown.schema) > 2
}

/** Tells whether a path is that of a collection: its GET lists objects, or it has nothing but a POST that creates one. */
const isOfCollection = (operations: readonly Operation[]): boolean =>
  listsRecords(operations) ||
  operations.every(({ method, responses }) => method === 'POST' && responses.some(({ status }) => status === '201'))

/**
 * Names paths by their last segment; if several paths share it, and for singletons below a record, by all literal segments; if they share these
 * too, by the whole path. @param taken - Names that are not free.
 */
export function nameCollections(
  named: readonly { readonly path: string; readonly kind: GroupKind }[],
  taken: readonly string[] = [],
): ReadonlyMap<string, string> {
  const paths = named.map(({ path }) => path)
  const forms = [
    (path: string): string => literalSegments(path).at(-1) ?? path,
    (path: string): string => literalSegments(path).join('/'),
    (path: string): string => path.slice(1),
  ]
  return new Map(
    named.map(({ kind, path }) => {
      const isBelow = kind === 'singleton' && path.includes('{')
      const free = (isBelow ? forms.slice(1) : forms).find(
        (form) => !taken.includes(form(path)) && paths.every((other) => other === path || form(other) !== form(path)),
      )
      return [path, free?.(path) ?? path]
    }),
  )
}
