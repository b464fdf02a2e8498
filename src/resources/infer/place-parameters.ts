/** Finds what the path parameters of the operations of a collection contain: the id, and the parents. */
import type { Operation, Parameter } from '../../contract/contract.js'
import { asSegments, parameterNames } from '../../contract/path-template.js'
import {
  declaredTypes,
  findKeyword,
  objectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { type JsonObject, textOf } from '../../documents/object.js'
import { nearestName } from '../../nearest-name.js'
import { isSameName, singularOf, wordsOf } from '../names.js'
import { pathOverrideOf } from '../read-overrides.js'
import { type CollectionPaths, lastParameterOf } from './collection-paths.js'
import { mayHoldId, type PropertySchemas } from './id-property.js'
import type { Parent } from './parents.js'

export interface PlacedParameters {
  /** True if the operation is on the record that the caller names. */
  readonly isOwn: boolean
  /** The parameter that contains the id: that of the operation, else that of the item path. Undefined: no path has one. */
  readonly parameter: Parameter | undefined
  readonly parents: readonly Parent[]
}

/** Finds the value that each path parameter of each operation contains. @returns Or the reason why it cannot be found, as a clause. */
export function placeParameters(
  { kind, members, path: collectionPath }: CollectionPaths,
  itemParameter: Parameter | undefined,
  idPath: readonly string[],
  properties: PropertySchemas,
): ReadonlyMap<Operation, PlacedParameters> | string {
  const operations = members.map(({ operation }) => operation)
  /** @param path - Without the parameter that contains the id. @param given - The property that `x-double` or a join names. */
  const parentOf = (name: string, path: string, schema: JsonObject, given: string | undefined): Parent | string => {
    if (!`${path}/`.includes(`/{${name}}/`)) return `its path parameter ${name} is not a whole segment`
    const type = scalarType(schema)
    if (type === undefined) return `its path parameter ${name} is not a string, number or boolean`
    // The URL of a parent is not its id.
    const isUrl = (property: JsonObject): boolean => /^ur[il]/u.test(textOf(findKeyword(property, 'format')))
    const others = [...properties].filter(([key, each]) => key !== idPath[0] && !isUrl(each))
    const at = given === undefined ? holderOf(name, path, others, type) : declaredPath(given, properties)
    const [property, inner] = at
    if (property !== undefined && !properties.has(property)) return lacksProperty(property, properties)
    const held = propertyAt(properties, at)
    if (held && scalarType(held) !== type)
      return `its path parameter ${name} and the property ${property ?? ''} differ in type`
    // A path such as /projects/{id}/epics may have the same name for a parent as another path has for the record.
    const key = name === itemParameter?.name ? `${singularBefore(name, path)}${capital(name)}` : name
    return { parameter: name, property, ...(inner === undefined ? {} : { inner }), key, type, schema }
  }
  const placed = new Map<Operation, PlacedParameters>()
  for (const { operation, parents: joined, place } of members) {
    const path = asSegments(operation.path)
    const hasId = (place === 'item' || place === 'action') && kind !== 'singleton'
    const name = hasId ? lastParameterOf(path) : undefined
    const own = name === undefined ? itemParameter : parameterAt(operations, operation.path, name)
    if (!own && name !== undefined) return `its path ${path} has no parameter for the id of a record`
    const idSchema = propertyAt(properties, idPath)
    if (own && idSchema && !mayHoldId(idSchema, own.name, own.schema))
      return `its path parameter ${own.name} and the property ${idPath.join('.')} differ in type`
    const before = name === undefined ? path : path.replace(`/{${name}}`, '')
    const declared = joined ?? pathOverrideOf(operation).parents
    const parents: Parent[] = []
    for (const each of parameterNames(before)) {
      const { schema = {} } = parameterAt(operations, operation.path, each) ?? {}
      const parent = parentOf(each, before, schema, declared.get(each))
      if (typeof parent === 'string') return parent
      parents.push(parent)
    }
    // Of several parameters after the collection's path, each is a part of the id.
    const outside = parents.find(
      ({ parameter, property }) =>
        property === undefined && kind === 'pair' && place === 'item' && !collectionPath.includes(`{${parameter}}`),
    )
    if (outside && path.startsWith(`${collectionPath}/{`))
      return `its path parameter ${outside.parameter} is a part of the id, and no property of its records`
    placed.set(operation, { parents, parameter: own, isOwn: place === 'own' })
  }
  return placed
}

/** Finds the property with the name of a parent's parameter, which cannot be an object or an array; else `projectId` or `project.id` for `project`, and `project.id` for `projectId`. */
function holderOf(
  parameter: string,
  path: string,
  properties: readonly (readonly [string, JsonObject])[],
  type: Parent['type'],
): readonly string[] {
  const thing = singularBefore(parameter, path)
  const ofType = properties.filter(([, schema]) => scalarType(schema) === type).map(([key]) => key)
  // The id of a parent is no property of its own.
  if (genericNames.has(parameter.toLowerCase()) && new RegExp(`\\{${parameter}\\}/[^{]`, 'u').test(path))
    return ofType.filter((key) => [thing, `${thing} ${parameter}`].some((name) => isSameName(key, name))).slice(0, 1)
  // `external_subscription_id` for `/subscriptions/{external_id}`, and `dns_zone_id` for `/dns_zones/{zone_id}`.
  const words = wordsOf(parameter)
  const qualified = [...new Set([...words, ...wordsOf(thing)])].toSorted().join(' ')
  const found = properties.find(([key, schema]) => {
    const isNamed = isSameName(key, parameter) || (words.length > 1 && wordsOf(key).toSorted().join(' ') === qualified)
    return isNamed && !objectSchema(schema) && !declaredTypes(schema).includes('array')
  })
  if (found) return [found[0]]
  // `project` for `/projects/{projectId}`, as for `/projects/{id}`.
  const isOfThing = genericNames.has(words.at(-1) ?? '') && isSameName(words.slice(0, -1).join(' '), thing)
  const told = isOfThing ? ofType.find((key) => isSameName(key, thing)) : undefined
  if (told !== undefined) return [told]
  const idOfThing = properties.flatMap(([key, schema]): readonly (readonly string[])[] => {
    if (isSameName(key, `${parameter} id`) && ofType.includes(key)) return [[key]]
    const isOfParent = isSameName(key, parameter) || (isOfThing && isSameName(key, thing))
    const object = isOfParent ? objectSchema(schema) : undefined
    const isId = scalarType(object?.properties.get('id') ?? {}) === type
    // The path knows no other property of the thing.
    return isId && [...(object?.required ?? [])].every((name) => name === 'id') ? [[key, 'id']] : []
  })
  return idOfThing[0] ?? []
}

const genericNames: ReadonlySet<string> = new Set(['id', 'code', 'name', 'key', 'slug', 'uuid', 'number'])

/**
 * Finds the property of another collection's records that a path parameter names: `projectId` or `project.id` for `/projects/{projectId}` and for
 * `/projects/{id}`. @returns With a dot before a property inside of an object. Undefined: none.
 */
export function relatedProperty(
  parameter: string,
  path: string,
  idProperty: string,
  properties: PropertySchemas,
  type: string | undefined,
): string | undefined {
  const last = wordsOf(parameter).at(-1) ?? ''
  const isGeneric = genericNames.has(parameter.toLowerCase())
  const thing = isGeneric ? singularBefore(parameter, path) : wordsOf(parameter).slice(0, -1).join(' ') || parameter
  const names = [...(isGeneric ? [] : [parameter]), thing, `${thing} ${last}`, `${thing} id`].filter(
    (name) => name !== '',
  )
  const found = names.flatMap((name) => [...properties].filter(([key]) => key !== idProperty && isSameName(key, name)))
  const scalar = found.find(([, schema]) => scalarType(schema) === type)
  if (scalar) return scalar[0]
  for (const [key, schema] of found) {
    const inner = [...propertiesOf(schema)].find(
      ([each, property]) => [last, 'id'].some((id) => isSameName(each, id)) && scalarType(property) === type,
    )
    if (inner) return `${key}.${inner[0]}`
  }
  return undefined
}

/** Says that records have no property that `x-double` names, as a clause. */
export function lacksProperty(property: string, properties: PropertySchemas): string {
  const near = nearestName(property, [...properties.keys()])
  return `its records have no property ${property}${near === undefined ? '' : `; did you mean ${near}?`}`
}

const singularBefore = (parameter: string, path: string): string =>
  singularOf(path.split(`/{${parameter}}`)[0]?.split('/').at(-1) ?? '')
const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

export const pathParameter = ({ parameters }: Operation, name: string): Parameter | undefined =>
  parameters.find((each) => each.in === 'path' && each.name === name)

export const parameterAt = (operations: readonly Operation[], path: string, name: string): Parameter | undefined =>
  operations.flatMap((each) => (each.path === path && pathParameter(each, name)) || [])[0]

/** Returns the path of a property that `x-double` names, with a dot before one inside of an object. */
export const declaredPath = (given: string, properties: PropertySchemas): readonly string[] =>
  properties.has(given) ? [given] : given.split('.')

export const propertyAt = (
  properties: PropertySchemas | undefined,
  [name = '', inner]: readonly string[],
): JsonObject | undefined => {
  const schema = properties?.get(name)
  return inner === undefined || !schema ? schema : propertiesOf(schema).get(inner)
}
