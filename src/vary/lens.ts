/** Shows the values of a response in other forms that its contract allows, and finds what a client means that sends them back. */
import { type Contract, documentedResponse, type Operation, type OperationResponse } from '../contract/contract.js'
import { pickMediaType } from '../contract/media-types.js'
import { itemsOf, objectSchema, possibleSchemas, propertySchema } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject, objectOf } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import { once, onceForObject } from '../once.js'
import { isEqual } from '../resources/json.js'
import { addedProperty, hiddenValue, kinds } from './kinds.js'

export interface VariedResponse {
  readonly contract: Contract
  readonly operation: Operation
  readonly response: OperationResponse
  /** The collection of the operation: its records have a name, also where their schema has none. Ids, parents and what filters use are kept. */
  readonly collection:
    | { readonly name: string; readonly idProperty: string; readonly kept: ReadonlySet<string> }
    | undefined
}

/** A third of a list, to which a unit may be limited. */
export const listParts = ['first', 'middle', 'last'] as const
export type ListPart = (typeof listParts)[number]
/** The parts of a list that a value is in. Undefined: it is in none. */
export type ListParts = readonly ListPart[] | undefined

export interface UnitSelection {
  readonly wants: (unit: string, at: ListParts) => boolean
  /** Called for each value that a unit has varied. @param path - The place in the contract that allows it. */
  readonly onApplied: (unit: string, path: readonly Segment[]) => void
  /** The most items of a list to visit. Default: all. */
  readonly mostItems?: number
}

/** A schema at its place in a response. Its parts are read on use, because a schema may contain itself. */
class Place {
  readonly name: string
  readonly path: readonly Segment[]
  /** The unit of an object that may have further properties. One without named properties is a map: another key would be another value. */
  readonly addition: string | undefined
  /** The units of the property that it describes. */
  readonly units: readonly (readonly [unit: string, vary: (value: unknown) => unknown])[]
  readonly #varied: VariedResponse
  readonly #schema: JsonObject
  readonly #object: ReturnType<typeof objectSchema>
  readonly #properties = new Map<string, Place | undefined>()

  /** @param isRequired - Undefined: it is no property. */
  constructor(varied: VariedResponse, schema: JsonObject, name: string, at: readonly Segment[], isRequired?: boolean) {
    const { collection, contract, operation, response } = varied
    const named = possibleSchemas(schema).flatMap((each) => contract.schemaName(each) ?? [])
    const known = contract.schemaName(schema) ?? (new Set(named).size === 1 ? named[0] : undefined)
    this.#object = objectSchema(schema)
    const isRecord = !name.includes('.') && this.#object?.properties.has(collection?.idProperty ?? '')
    this.#varied = varied
    this.#schema = schema
    this.name = known ?? (isRecord ? collection?.name : undefined) ?? name
    this.path = known === undefined ? at : ['components', 'schemas', known]
    const isOpen = response.status < 400 && this.#object?.closed === false && this.#object.properties.size > 0
    this.addition = isOpen ? `unknown-property ${this.name}` : undefined
    const key = String(at.at(-1))
    const isKept = key === 'id' || collection?.kept.has(key) === true
    const property = { schema, isRequired: isRequired === true, isKept, isError: response.status >= 400 }
    this.units = Object.entries(isRequired === undefined ? {} : kinds).flatMap(([kind, { text, value = text }]) =>
      value
        ? [[`${kind} ${text ? `${operation.id} ${response.status}` : name}`, (each) => value(each, property)] as const]
        : [],
    )
  }

  readonly item = once((): Place | undefined => {
    const items = itemsOf(this.#schema)
    return items && new Place(this.#varied, items, this.name, [...this.path, 'items'])
  })

  /** The keys of a map have no names of their own, and are data. */
  property(name: string): Place | undefined {
    const own = this.#object?.properties.get(name)
    const key = own ? name : '*'
    if (this.#properties.has(key)) return this.#properties.get(key)
    const schema = own ?? propertySchema(this.#schema, name)
    const path = [...this.path, 'properties', key]
    const isRequired = !own || this.#object?.required.has(key) === true
    const place = isObject(schema)
      ? new Place(this.#varied, schema, `${this.name}.${key}`, path, isRequired)
      : undefined
    this.#properties.set(key, place)
    return place
  }
}

const placesOf = onceForObject((_operation: Operation) => new Map<string, Place | undefined>())

/** Varies the body of a response by the units that a selection wants. @returns The same value if nothing was varied; what was is frozen. */
export function varyBody(varied: VariedResponse, selection: UnitSelection): unknown {
  const { operation, response } = varied
  const { body, mediaType, status } = response
  const own = placesOf(operation)
  const key = `${status} ${mediaType}`
  if (!own.has(key)) {
    const documented = documentedResponse(operation, status)
    const types = documented?.contents.map((each) => each.mediaType) ?? []
    const content = documented?.contents[pickMediaType(types, mediaType)]
    const path = [...operation.at, 'responses', documented?.status ?? '', 'content', content?.mediaType ?? '', 'schema']
    const described = { ...varied, response: { ...response, body: undefined } }
    own.set(key, content && new Place(described, content.schema, `${operation.id} ${status}`, path))
  }
  const place = own.get(key)
  return place ? view(place, body, selection, undefined) : body
}

function view(place: Place, value: unknown, selection: UnitSelection, at: ListParts): unknown {
  if (Array.isArray(value)) return viewList(place.item(), value, selection, at)
  if (!isObject(value)) return value
  let isVaried = false
  const entries = Object.entries(value).flatMap(([key, original]): readonly (readonly [string, unknown])[] => {
    const property = place.property(key)
    let shown = property ? view(property, original, selection, at) : original
    for (const [unit, vary] of property?.units ?? []) {
      const next = shown === hiddenValue || !selection.wants(unit, at) ? undefined : vary(shown)
      if (next === undefined) continue
      shown = next
      selection.onApplied(unit, property?.path ?? [])
    }
    isVaried ||= shown !== original
    return shown === hiddenValue ? [] : [[key, shown]]
  })
  const addition = Object.hasOwn(value, addedProperty[0]) ? undefined : place.addition
  const isAdded = addition !== undefined && selection.wants(addition, at)
  if (isAdded) selection.onApplied(addition, place.path)
  return isVaried || isAdded
    ? Object.freeze(Object.fromEntries(isAdded ? [...entries, addedProperty] : entries))
    : value
}

function viewList(item: Place | undefined, list: readonly unknown[], selection: UnitSelection, at: ListParts): unknown {
  if (!item) return list
  // Thirds, because a single record may lack the property. The outermost list is that of the records.
  const share = list.length / 3
  const partsOf = (index: number): ListParts =>
    listParts.filter((_, third) => index >= Math.floor(third * share) && index < Math.ceil((third + 1) * share))
  const shown = list.slice(0, selection.mostItems)
  const items = shown.map((each, index) => view(item, each, selection, at ?? partsOf(index)))
  return items.every((each, index) => each === list[index]) ? list : Object.freeze(items)
}

/**
 * Replaces what a client sends as it saw it by what it stands for. @param seen - The varied value. @param original - The value that was
 * varied. @param schema - That of the sent value: a hidden property comes back only if it has it. Undefined: none comes back.
 */
export function restore(sent: unknown, seen: unknown, original: unknown, schema: JsonObject | undefined): unknown {
  if (seen === original) return sent
  if (Array.isArray(sent) && Array.isArray(seen) && Array.isArray(original) && sent.length === original.length)
    return sent.map((each: unknown, at) => restore(each, seen[at], original[at], objectOf(schema && itemsOf(schema))))
  if (!isObject(sent) || !isObject(seen) || !isObject(original)) return isEqual(sent, seen) ? original : sent
  const schemaOf = (key: string): JsonObject | undefined => {
    const found = schema && propertySchema(schema, key)
    return isObject(found) && found['readOnly'] !== true ? found : undefined
  }
  const kept = Object.entries(sent).flatMap(([key, value]) =>
    Object.hasOwn(seen, key) && !Object.hasOwn(original, key) && isEqual(value, seen[key])
      ? []
      : [[key, restore(value, seen[key], original[key], schemaOf(key))] as const],
  )
  const missing = Object.entries(original).filter(([key]) => !(key in seen) && !(key in sent) && schemaOf(key))
  return Object.fromEntries([...kept, ...missing])
}
