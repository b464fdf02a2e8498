/** Decides which paths show the same records: collections that stay separate, are joined, or cannot be told apart. */
import type { Operation } from '../../contract/contract.js'
import {
  asSegments,
  lastLiteral,
  literalSegments,
  parameterNames,
  shapeOf,
  untilParameter,
} from '../../contract/path-template.js'
import { allowedValues, declaredTypes, itemsOf, propertiesOf, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, onlyOf } from '../../documents/object.js'
import { onceForObject } from '../../once.js'
import { singularsOf } from '../names.js'
import type { CollectionModel } from './collection-model.js'
import { lastParameterOf } from './collection-paths.js'
import { findIdPath } from './id-property.js'
import { pathParameter, relatedProperty } from './place-parameters.js'
import { findRecordBody } from './record-body.js'

export interface Candidate {
  readonly model: CollectionModel
  /** The name that `x-double` gives. Undefined: the rules decide. */
  readonly declaredName: string | undefined
  readonly isSeparate: boolean
  readonly creates: boolean
  /** True if an operation on a record changes it. */
  readonly changes: boolean
}

/** The least number of equal properties by which schemas without a common `$ref` show the same record, and where their paths have the same noun. */
const least = { any: 10, ofNoun: 3 }

/**
 * Tells whether two collections have the same records: they have a schema in common or, if one has no listing or no path of a record, many equal
 * properties. Two whole collections may have equal properties, such as cats and dogs.
 */
export function sharesRecord({ model: one }: Candidate, { model: other }: Candidate): boolean {
  if (one.showing.some((part) => other.showing.includes(part))) return true
  if (!isNew(one) && !isNew(other)) return false
  let equal = 0
  for (const [name, schema] of one.recordModel.properties) {
    const twin = other.recordModel.properties.get(name)
    if (!twin) continue
    const [ones, others] = [allowedValues(schema), allowedValues(twin)]
    // No record has `status: live` and `status: active`, if each schema has its own list.
    if (ones.length > 0 && others.length > 0 && !ones.some((value) => others.includes(value))) return false
    if (typesIn(schema) === typesIn(twin)) equal += 1
  }
  // Compact schemas and unions of the same noun have few properties in common.
  const nounOf = ({ path }: CollectionModel): string | undefined => literalSegments(path).at(-1)?.toLowerCase()
  if (nounOf(one) === nounOf(other) && equal >= least.ofNoun) return true
  return equal >= least.any
}

/** Every two collections are compared. */
const typesIn = onceForObject((schema: JsonObject) => declaredTypes(schema).join())

/** Tells whether a collection has no listing or no path of a record. It is joined to another one, and is no reason to leave that out. */
const isNew = ({ kind }: CollectionModel): boolean => kind === 'list' || kind === 'item'

/**
 * Finds the candidates that cannot be told apart from others, with the reason as a clause, and those whose records are those of another one.
 * Singletons are kept by their path, so they stay separate.
 */
export function resolveSharedRecords<C extends Candidate>(candidates: readonly C[]) {
  const conflicts = new Map<C, string>()
  const joined = new Map<C, C>()
  const several = candidates.filter(({ model }) => model.kind !== 'singleton')
  const collections = several.filter((candidate) => {
    const newer = several.find(({ model }) => isNewer(model.path, candidate.model.path))
    if (newer && candidate.declaredName === undefined)
      conflicts.set(candidate, `${newer.model.path} is a newer version of its path`)
    return !conflicts.has(candidate)
  })
  for (const candidate of collections) {
    if (candidate.declaredName !== undefined || candidate.isSeparate) continue
    const group = collections.filter(
      (other) => !other.isSeparate && sharesRecord(candidate, other) && !areApart(candidate, other),
    )
    if (group.length === 1) continue
    const declared = group.find(({ declaredName }) => declaredName !== undefined)
    if (declared) {
      conflicts.set(candidate, `its records have the schema of those of ${declared.declaredName ?? ''}`)
      continue
    }
    const pairs = group.filter(({ model }) => !isNew(model))
    const all = pairs.length > 0 ? pairs : group
    const roots = all.filter(({ model }) => parameterNames(model.path).length === 0)
    const full = all.filter(isFull)
    const areSeparate =
      roots.length === 0 &&
      full.length > 1 &&
      new Set(full.map(({ model }) => shapeOf(model.path))).size === full.length
    if (areSeparate && full.includes(candidate)) continue
    const main =
      all.length === 1
        ? all[0]
        : (onlyOf(roots.filter(isFull)) ??
          (areSeparate ? undefined : (onlyOf(all.filter(({ creates }) => creates)) ?? onlyOf(full))))
    if (main === candidate) continue
    if (main && mayJoin(candidate, main)) {
      joined.set(candidate, main)
      continue
    }
    const others = group.filter((each) => each !== candidate).map(({ model }) => model.path)
    conflicts.set(candidate, `its records have the schema of those of ${others.join(', ')}`)
  }
  return { conflicts, joined }
}

const version = /\/v(\d+)(?=\/)/u

/** Tells whether two paths differ only in a version such as `/v1`, and the first one is the newer. Nobody knows whether they show the same records. */
const isNewer = (one: string, other: string): boolean =>
  one.replace(version, '') === other.replace(version, '') &&
  Number(version.exec(one)?.[1] ?? 0) > Number(version.exec(other)?.[1] ?? 0)

/** Tells whether one of two whole collections has the records of the caller, and the other those of all. */
const areApart = ({ model: one }: Candidate, { model: other }: Candidate): boolean =>
  !isNew(one) && !isNew(other) && isOfCaller(one.path) !== isOfCaller(other.path)

const isOfCaller = (path: string): boolean =>
  literalSegments(path).some((segment) => /^(?:@?me|user|self|current)$/iu.test(segment))

const isFull = ({ changes, model }: Candidate): boolean => changes && model.itemPath !== undefined

/**
 * Tells whether each parameter of a collection's paths is a property of the records of another one, and at least one is. What is below a record of
 * that one has its noun, or is listed: `POST /conversations/{id}/customers` shows the conversation that it changes.
 */
function mayJoin({ model }: Candidate, main: Candidate): boolean {
  const isBelow = shapeOf(asSegments(model.path)).startsWith(`${shapeOf(asSegments(main.model.itemPath ?? '/'))}/`)
  const isNamed = singularsOf(lastLiteral(model.path)).some((each) =>
    singularsOf(lastLiteral(main.model.path)).includes(each),
  )
  if (isBelow && !isNamed && model.listBody === undefined) return false
  const shared = parameterNames(main.model.path)
  const hasOwn = parameterNames(model.path).some((name) => !shared.includes(name))
  return hasOwn && parentsIn(model.path, main.model) !== undefined
}

/** Finds the record properties that the parameters of a path of another collection name. @returns Undefined: one names none. */
export function parentsIn(
  path: string,
  { contract, idProperty, path: own, recordModel }: CollectionModel,
): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>()
  const below = contract.operations.filter((each) => asSegments(each.path).startsWith(path))
  for (const name of parameterNames(path)) {
    // The paths have the parameter in common.
    if (own.startsWith(`${untilParameter(path, name)}/`)) continue
    const [parameter] = below.flatMap((each) => pathParameter(each, name) ?? [])
    const property =
      parameter && relatedProperty(name, path, idProperty, recordModel.properties, scalarType(parameter.schema))
    if (property === undefined) return undefined
    found.set(name, property)
  }
  return found
}

/** Tells whether the last path parameter of an operation contains the id of a collection's records. */
export function namesRecord(operation: Operation, { idPath, recordModel }: CollectionModel): boolean {
  const own = pathParameter(operation, lastParameterOf(operation.path))
  const { properties, required } = recordModel
  const found = own && findIdPath(own, lastLiteral(operation.path), properties, required)
  return String(found) === String(idPath)
}

/**
 * Tells whether a listing at another path shows the records of a collection. Its path has the same noun, and its literal segments are a part of
 * those of the collection; or it has a further word and a parameter: `/bookings/client/{client_id}`.
 */
export function isViewPath(path: string, { path: collection }: CollectionModel): boolean {
  if (path.endsWith('}'))
    return path.startsWith(`${collection}/`) && /^[^/{}]+\/\{[^/{}]+\}$/u.test(path.slice(collection.length + 1))
  const [segments, own] = [literalSegments(path), literalSegments(collection)]
  if (segments.at(-1)?.toLowerCase() !== own.at(-1)?.toLowerCase()) return false
  // Below the caller are the records of the caller.
  if (isOfCaller(path) && !own.includes(segments[0] ?? '')) return false
  // Without a parameter, it lists the records below all parents: `/api/pods` for `/api/namespaces/{namespace}/pods`.
  const before = segments.slice(0, -1)
  const isAbove = collection.startsWith(`${path}/{`)
  return (
    isAbove ||
    parameterNames(path).length > 0 ||
    (before.length > 0 && before.every((segment, at) => segment === own[at]))
  )
}

/** Tells whether a body is one of some records, or an object around it. */
export const showsRecordOf = (schema: JsonObject, records: readonly JsonObject[]): boolean =>
  findRecordBody(schema, (each) => (records.includes(each) ? 2 : 0)) !== undefined

const maxDepth = 3

/** Tells whether a schema is one of some records, or contains one: in an array, or in a property at most two levels deep. */
export function showsOneOf(schema: JsonObject, records: readonly JsonObject[], depth = 0): boolean {
  if (records.includes(schema)) return true
  if (depth === maxDepth) return false
  const inside = [itemsOf(schema) ?? [], ...propertiesOf(schema).values()].flat()
  return inside.some((each) => showsOneOf(each, records, depth + 1))
}
