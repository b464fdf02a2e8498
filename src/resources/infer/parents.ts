/** Finds the path parameters before the last one. They select records, and are set in created records. */
import type { Operation } from '../../contract/contract.js'
import { parameterNames } from '../../contract/path-template.js'
import { declaredTypes, objectSchema, propertiesOf, scalarType } from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectAt } from '../../documents/object.js'
import { nearestName } from '../../nearest-name.js'
import { isSameName, singularOf, wordsOf } from '../names.js'

export interface Parent {
  readonly parameter: string
  /** The record property that contains it. Undefined: it is in `$parents`. */
  readonly property: string | undefined
  /** The property inside of that one, if it is an object, such as `id` of `project`. */
  readonly inner?: string | undefined
  /** Its name in `$parents`, if no property contains it. */
  readonly key: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
}

/** A collection whose parents are not known yet. */
export interface ParentContext {
  readonly operations: readonly Operation[]
  readonly idProperty: string
  readonly idParameter: string
  readonly properties: ReadonlyMap<string, JsonObject>
  /** Record properties by path parameter, from `x-double`. */
  readonly declared: ReadonlyMap<string, string>
}

/**
 * Finds the parents in a path.
 *
 * @param path - Without the parameter that contains the id.
 * @returns Or the reason why they cannot be found, as a clause.
 */
export function findParents(path: string, context: ParentContext): readonly Parent[] | string {
  const parameters = context.operations.flatMap((operation) => operation.parameters)
  const parents: Parent[] = []
  for (const name of parameterNames(path)) {
    if (!`${path}/`.includes(`/{${name}}/`)) return `its path parameter ${name} is not a whole segment`
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    const type = parameter && scalarType(parameter.schema)
    if (type === undefined) return `its path parameter ${name} is not a string, number or boolean`
    const [property, inner] = placeOf(name, path, context)
    const holder = property === undefined ? undefined : context.properties.get(property)
    if (property !== undefined && !holder) return lacksProperty(property, context.properties)
    const schema = holder && (inner === undefined ? holder : propertiesOf(holder).get(inner))
    if (schema && scalarType(schema) !== type)
      return `its path parameter ${name} and the property ${property ?? ''} differ in type`
    // A path such as /projects/{id}/epics may have the same name for a parent as another path has for the record.
    const key = name === context.idParameter ? `${singularBefore(name, path)}${capital(name)}` : name
    parents.push({ parameter: name, property, ...(inner === undefined ? {} : { inner }), key, type })
  }
  return parents
}

/** Finds the property that `x-double` or a join names, else the one with the parameter's name. It cannot be an object or an array. */
function placeOf(
  parameter: string,
  path: string,
  { idProperty, properties, declared }: ParentContext,
): readonly [property: string | undefined, inner?: string | undefined] {
  const isHolder = ([key, schema]: readonly [string, JsonObject]): boolean =>
    key !== idProperty && (isSameName(key, parameter) || isQualified(key)) && !objectSchema(schema) && !isArray(schema)
  // `external_subscription_id` for `/subscriptions/{external_id}`.
  const qualified = [...wordsOf(parameter), ...wordsOf(singularBefore(parameter, path))].toSorted().join(' ')
  const isQualified = (key: string): boolean =>
    wordsOf(parameter).length > 1 && wordsOf(key).toSorted().join(' ') === qualified
  const given = declared.get(parameter)
  // The id of a parent is no property of its own.
  const isOfParent = genericNames.has(parameter.toLowerCase()) && new RegExp(`\\{${parameter}\\}/[^{]`, 'u').test(path)
  if (given === undefined) return [isOfParent ? undefined : [...properties].find(isHolder)?.[0]]
  const [property = '', inner] = properties.has(given) ? [given] : given.split('.')
  return [property, inner]
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
  properties: ReadonlyMap<string, JsonObject>,
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

const isArray = (schema: JsonObject): boolean => declaredTypes(schema).includes('array')

/** Says that records have no property that `x-double` names, as a clause. */
export function lacksProperty(property: string, properties: ReadonlyMap<string, JsonObject>): string {
  const near = nearestName(property, [...properties.keys()])
  return `its records have no property ${property}${near === undefined ? '' : `; did you mean ${near}?`}`
}

const singularBefore = (parameter: string, path: string): string =>
  singularOf(path.split(`/{${parameter}}`)[0]?.split('/').at(-1) ?? '')
const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

/** Tells whether two parents have the same property, or the same name in `$parents`. */
export const isKeptInSamePlace = (one: Parent, other: Parent): boolean =>
  one.property === other.property && one.inner === other.inner && (one.property !== undefined || one.key === other.key)

/** Returns the key of a record: its id, and the values of its parents if it has any. */
export const entryKey = (id: unknown, parents: readonly unknown[]): string =>
  parents.length === 0 ? String(id) : JSON.stringify([...parents.map(String), String(id)])

const withInner = ({ inner }: Parent, value: unknown): unknown => (inner === undefined ? value : { [inner]: value })

/** Returns the value of a parent in a record, and in its `$parents`. */
export function parentIn(
  { inner, key, property }: Parent,
  record: JsonObject,
  others: JsonObject | undefined,
): unknown {
  if (property === undefined) return others?.[key]
  return inner === undefined ? record[property] : objectAt(record, property)[inner]
}

/** Splits the values of parents: properties of the record, and others. `others` is undefined if every parent has a property. */
export function placeParents(
  parents: readonly Parent[],
  valueOf: (parent: Parent) => unknown,
): { readonly properties: JsonObject; readonly others: JsonObject | undefined } {
  const inside = parents.flatMap((parent) =>
    parent.property === undefined ? [] : [[parent.property, withInner(parent, valueOf(parent))]],
  )
  const outside = parents.filter(({ property }) => property === undefined)
  const others = Object.freeze(Object.fromEntries(outside.map((parent) => [parent.key, valueOf(parent)])))
  return { properties: Object.fromEntries(inside), others: outside.length === 0 ? undefined : others }
}
