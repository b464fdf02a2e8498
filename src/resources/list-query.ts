/** Finds the effects of the query parameters of a listing, and reads their values from a request. */
import type { Parameter } from '../contract/contract.js'
import { findKeyword, itemsOf, scalarType } from '../contract/schemas/read-schema.js'
import type { JsonObject } from '../documents/object.js'
import { firstPageOf } from './infer/list-body.js'
import { parameterOverrideOf } from './read-overrides.js'
import type { ParameterValue, ResourceRequest, QueryEffect } from './roles/role.js'

/** Selects the records whose property has one of some values. */
export interface Filter {
  readonly property: string
  /** The property inside of that one. Default: the property itself. */
  readonly inner?: string | undefined
  readonly values: ReadonlySet<unknown>
  /** True if the property is in `$parents`. */
  readonly isInParents?: boolean
}

/** The part of a listing that a request asks for. */
export interface Selection {
  readonly filters: readonly Filter[]
  readonly skip: number
  /** The most records to return. Undefined: all. */
  readonly cap: number | undefined
}

interface QueryContext {
  readonly properties: ReadonlyMap<string, JsonObject>
  readonly parameters: readonly Parameter[]
}

export interface ListQuery {
  /** By parameter. Parameters without an effect are missing. */
  readonly effects: ReadonlyMap<string, QueryEffect>
  /** Reads a request. The key is equal for requests with the same effect. */
  read(request: ResourceRequest): { readonly key: string; readonly selection: Selection }
}

/** The order in which effects are applied: a page needs the cap. */
const order = ['select', 'cap', 'skip', 'page'] as const

export function createListQuery(context: QueryContext): ListQuery {
  const found = context.parameters
    .flatMap((parameter) => {
      const { name, schema } = parameter
      const effect = findEffect(parameter, context)
      return effect ? [{ effect, name, fallback: findKeyword(schema, 'default') }] : []
    })
    .toSorted((one, other) => order.indexOf(one.effect.kind) - order.indexOf(other.effect.kind))
  return {
    effects: new Map(found.map(({ effect, name }) => [name, effect])),
    read: ({ query }) => {
      const key: unknown[] = []
      let selection: Selection = { filters: [], skip: 0, cap: undefined }
      for (const { effect, fallback, name } of found) {
        const value = Object.hasOwn(query, name) ? query[name] : (fallback as (typeof query)[string] | undefined)
        key.push(value ?? null)
        if (value !== undefined && value !== null) selection = apply(effect, selection, value)
      }
      return { key: JSON.stringify(key), selection }
    },
  }
}

function apply(effect: QueryEffect, selection: Selection, value: ParameterValue): Selection {
  const { cap, filters, skip } = selection
  const number = Number(value)
  if (effect.kind === 'select') {
    const values = new Set<unknown>(Array.isArray(value) ? (value as readonly unknown[]) : [value])
    if ([...values].some((each) => effect.every.has(each))) return selection
    return { ...selection, filters: [...filters, { property: effect.property, values }] }
  }
  // A negative value, where the contract allows one, caps nothing.
  if (effect.kind === 'cap') return number < 0 ? selection : { ...selection, cap: Math.min(cap ?? Infinity, number) }
  if (effect.kind === 'skip') return { ...selection, skip: skip + Math.max(0, number) }
  const pages = Math.max(0, number - effect.first)
  return pages === 0 ? selection : { ...selection, skip: skip + pages * (cap ?? Infinity) }
}

const capNames = new Set('limit pageSize page_size page-size perPage per_page per-page size'.split(' '))
const skipNames: ReadonlySet<string> = new Set(['offset', 'skip'])

/** Finds the effect of a parameter: what `x-double` says, else what its name says. */
function findEffect(parameter: Parameter, context: QueryContext): QueryEffect | undefined {
  const { name, schema } = parameter
  const meant = parameterOverrideOf(parameter)
  if (meant === 'ignore') return undefined
  if (meant !== undefined && !['limit', 'offset', 'page'].includes(meant)) return selectBy(meant, schema, context)
  const selected = meant === undefined ? selectByName(parameter, context) : undefined
  const means = meant ?? name
  if (selected || scalarType(schema) !== 'integer') return selected
  if (capNames.has(means)) return { kind: 'cap' }
  if (skipNames.has(means)) return { kind: 'skip' }
  if (means !== 'page' || !context.parameters.some((other) => isCap(other, context))) return undefined
  return { kind: 'page', first: firstPageOf(parameter) }
}

function isCap(parameter: Parameter, context: QueryContext): boolean {
  const meant = parameterOverrideOf(parameter)
  if (meant !== undefined) return meant === 'limit'
  const isNamedLike = capNames.has(parameter.name) && scalarType(parameter.schema) === 'integer'
  return isNamedLike && !selectByName(parameter, context)
}

/** Parameters that search in all properties, even if a property has their name. */
const searchNames: ReadonlySet<string> = new Set(['search', 'q', 'query'])

/** Values that select every record, if the parameter lists them or has them as its default and the property does not list them. */
const everyNames: ReadonlySet<unknown> = new Set(['all', 'any', 'none'])

/** Selects by the property with the name of the parameter, unless the parameter lists values that the property does not have. */
function selectByName({ name, schema }: Parameter, context: QueryContext): QueryEffect | undefined {
  const known = valuesOf(context.properties.get(name) ?? {})
  const isForeign = (value: unknown): boolean => !known.includes(value) && !everyNames.has(value)
  const isOther = searchNames.has(name) || (known.length > 0 && valuesOf(itemsOf(schema) ?? schema).some(isForeign))
  return isOther ? undefined : selectBy(name, schema, context)
}

/** Selects by a scalar property with the type of the parameter, or of its items. */
function selectBy(property: string, schema: JsonObject, { properties }: QueryContext): QueryEffect | undefined {
  const own = properties.get(property)
  const type = own && scalarType(own)
  if (!own || type === undefined || scalarType(itemsOf(schema) ?? schema) !== type) return undefined
  const known = valuesOf(own)
  const named = [...valuesOf(itemsOf(schema) ?? schema), findKeyword(schema, 'default')]
  const every = new Set(named.filter((value) => everyNames.has(value) && !known.includes(value)))
  return { kind: 'select', property, every }
}

function valuesOf(schema: JsonObject): readonly unknown[] {
  const values = findKeyword(schema, 'enum')
  return Array.isArray(values) ? (values as readonly unknown[]) : []
}
