/** Suggests the `x-double` that would join paths whose records have the same schema, or give records to a listing that nothing changes, and writes it as an overlay. */
import { setImmediate as nextTurn } from 'node:timers/promises'

import { contractName, type Operation } from '../contract/contract.js'
import { literalSegments, parameterNames } from '../contract/path-template.js'
import { propertiesOf } from '../contract/schemas/read-schema.js'
import { updateAction, writeOverlay } from '../contract/write-overlay.js'
import { groupBy, type JsonObject, objectAt } from '../documents/object.js'
import type { Source } from '../documents/source.js'
import { lastParameterOf } from './infer/collection-paths.js'
import { findIdPath } from './infer/id-property.js'
import { findListBody } from './infer/list-body.js'
import { relatedProperty } from './infer/place-parameters.js'
import { findRecordBody } from './infer/record-body.js'
import { successResponseOf } from './infer/success-response.js'
import type { Service } from './load-service.js'
import { operationOverrideOf } from './read-overrides.js'
import { inferResources, type Resources } from './resources.js'

export interface SuggestedJoin {
  readonly path: string
  readonly override: JsonObject
}

/**
 * Writes the overlay that would join paths, in YAML. @param base - An overlay whose actions it has, too, because a command takes one. Default: none.
 * @returns Undefined: no join is known.
 */
export async function suggestOverlay(service: Service, base?: Source): Promise<string | undefined> {
  const joins = await suggestJoins(service)
  const actions = joins.map(({ override, path }) => updateAction(['paths', path], { 'x-double': override }))
  const title = `Joined paths of ${contractName(service.contract)}`
  return joins.length === 0 ? undefined : writeOverlay('overlay.yaml', title, actions, base)
}

/**
 * Suggests joins of paths. Each is tried: with all of them, there are no problems, every stateful operation stays stateful, and others become so.
 * An inference of a large contract takes a tenth of a second; requests are served in between.
 */
export async function suggestJoins({ contract, resources }: Service): Promise<readonly SuggestedJoin[]> {
  let accepted: readonly SuggestedJoin[] = []
  let stateful = statefulIn(resources)
  const accept = (joins: readonly SuggestedJoin[]): boolean => {
    const values = new Map([...accepted, ...joins].map(({ override, path }) => [path, override]))
    const operations = contract.operations.map((each) => {
      const value = values.get(each.path)
      return value ? { ...each, pathOverride: { value, path: ['paths', each.path] } } : each
    })
    const tried = inferResources({ ...contract, operations })
    const next = statefulIn(tried)
    if (tried.problems.length > 0 || next.size <= stateful.size || ![...stateful].every((id) => next.has(id)))
      return false
    accepted = [...new Set([...accepted, ...joins])]
    stateful = next
    return true
  }
  for (const joins of findCandidates(resources)) {
    await nextTurn()
    const item = joins.find(({ path }) => path.endsWith('}'))
    // One path may be the only reason why the others cannot be joined.
    if (!accept(joins) && item) for (const join of joins) accept([...new Set([item, join])])
  }
  const acceptEach = async (lists: readonly SuggestedJoin[]): Promise<void> => {
    await nextTurn()
    if (lists.length === 0 || accept(lists) || lists.length === 1) return
    const half = Math.ceil(lists.length / 2)
    await acceptEach(lists.slice(0, half))
    await acceptEach(lists.slice(half))
  }
  await acceptEach(findLists(resources))
  return accepted
}

const statefulIn = ({ decisions }: Resources): ReadonlySet<string> =>
  new Set([...decisions.values()].flatMap(({ operation, role }) => (role === 'mocked' ? [] : [operation.id])))

/** Finds groups of paths in which one path is mocked, and one is the path of a record. */
export function findCandidates({ contract, decisions }: Resources): readonly (readonly SuggestedJoin[])[] {
  const items = objectAt(contract.document, 'paths')
  // An overlay cannot change a path item that is a reference, and an x-double that is written already says what is meant.
  const isReference = (path: string): boolean => objectAt(items, path)['$ref'] !== undefined
  const open = contract.operations.filter(
    ({ method, path, pathOverride }) => method === 'GET' && !pathOverride && !isReference(path),
  )
  return [...groupBy(open, recordSchemaOf)].flatMap(([schema, operations]) => {
    const isSuggested = operations.some(
      (operation) => decisions.get(operation)?.role === 'mocked' && operationOverrideOf(operation).role === undefined,
    )
    const first = operations.find(({ path }) => path.endsWith('}'))
    if (!schema || !isSuggested || !first || operations.length < 2) return []
    const collection = literalSegments(first.path).at(-1) ?? 'records'
    const joined = operations.filter(
      ({ path }) => !operations.some((other) => path === `${other.path}/{${lastParameterOf(path)}}`),
    )
    return [joined.map(({ path }) => ({ path, override: { collection, ...parentsOf(path, schema) } }))]
  })
}

/** Finds the listings of records with an id that no operation changes. With a collection of their own, a fixture sets them. */
function findLists({ collections, contract, decisions }: Resources): readonly SuggestedJoin[] {
  const shown = new Set(collections.flatMap(({ model }) => model.showing))
  const mocked = contract.operations.filter((each) => {
    const isOpen = each.method === 'GET' && !each.pathOverride && decisions.get(each)?.role === 'mocked'
    const schema = isOpen ? recordSchemaOf(each) : undefined
    return schema !== undefined && !shown.has(schema) && isAlone(each, schema)
  })
  const nameOf = (path: string): string => literalSegments(path).at(-1) ?? ''
  const isKnown = (path: string): boolean =>
    collections.some(({ name }) => name === nameOf(path)) ||
    mocked.some((other) => other.path !== path && nameOf(other.path) === nameOf(path))
  return mocked.map(({ path }) => {
    const collection = isKnown(path) ? literalSegments(path).join('/') : nameOf(path)
    return { path, override: { collection } }
  })
}

const isAlone = (operation: Operation, schema: JsonObject): boolean =>
  !operation.path.includes('{') &&
  operationOverrideOf(operation).role === undefined &&
  findIdPath(undefined, '', propertiesOf(schema), new Set()) !== undefined

function recordSchemaOf(operation: Operation): JsonObject | undefined {
  const { json } = successResponseOf(operation, '200')
  if (!json) return undefined
  const fitOf = (schema: JsonObject): number => propertiesOf(schema).size
  if (operation.path.endsWith('}')) return findRecordBody(json.schema, fitOf)?.schema
  const list = findListBody(json.schema, '')
  return typeof list === 'string' ? undefined : findRecordBody(list.items, fitOf)?.schema
}

function parentsOf(path: string, schema: JsonObject): JsonObject {
  const properties = propertiesOf(schema)
  const found = parameterNames(path).flatMap((name) => {
    const property = path.endsWith(`{${name}}`) ? undefined : relatedProperty(name, path, 'id', properties, 'string')
    return property === undefined || properties.has(name) ? [] : [[name, property] as const]
  })
  return found.length > 0 ? { parents: Object.fromEntries(found) } : {}
}
