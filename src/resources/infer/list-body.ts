/** Finds the records in the body of a listing: the body is the array, or an envelope with the array and computed properties. */
import type { Parameter } from '../../contract/contract.js'
import {
  itemsOf,
  findKeyword,
  isChoice,
  isMarked,
  isNullable,
  objectSchema,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import type { ObjectSchema } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { isSameName, wordsOf } from '../names.js'

/** Finds the items in the schema of a listing. @returns Or the reason why there are none, as a clause. */
export function findListBody(schema: JsonObject, context: ListContext): ListBody | string {
  const items = itemsOf(schema)
  if (!items)
    return findEnvelope(schema, context) ?? 'its success response is neither an array of objects nor an object with one'
  return {
    items,
    filled: [],
    isCounted: false,
    itemsIn: (body) => (Array.isArray(body) ? (body as unknown[]) : undefined),
    toBody: (listing) => listing.items,
  }
}

interface ListedPage {
  /** The records as they are shown, in order. Frozen. */
  readonly items: readonly unknown[]
  /** The number of records before skipping and capping. Undefined if the body does not need it. */
  readonly total: number | undefined
  readonly skip: number
  /** Undefined: no cap. */
  readonly cap: number | undefined
}

export interface ListBody {
  readonly items: JsonObject
  /** Properties of the body that come from the example. */
  readonly filled: readonly string[]
  /** True if the body contains the number of records. */
  readonly isCounted: boolean
  /** Returns the items in a body. Undefined: the body has no such list. */
  itemsIn(body: unknown): readonly unknown[] | undefined
  toBody(listing: ListedPage): unknown
}

export interface ListContext {
  readonly segment: string
  readonly firstPage: number
  example(): unknown
}

/** Computes a property of an envelope. Undefined: the property is left out. */
type Part = (listing: ListedPage) => unknown

const arrayNames = ['data', 'items', 'results']
const sizeNames = ['limit', 'pageSize', 'perPage', 'size']
const pageNames = ['page', 'pageNumber', 'currentPage']
const skipNames = ['offset', 'skip']
const moreNames = ['hasMore']
/** Words of links and cursors to other pages. */
const linkWords: ReadonlySet<string> = new Set(['next', 'prev', 'previous', 'cursor'])

/** Finds the array in an envelope. @returns The reason why the envelope cannot be created, as a clause; undefined if it has no array. */
function findEnvelope(schema: JsonObject, context: ListContext): ListBody | string | undefined {
  const envelope = objectSchema(schema)
  if (!envelope) return undefined
  const arrays = recordArraysIn(envelope)
  const [name, array] = chooseArray(arrays, context.segment) ?? []
  const items = array && itemsOf(array)
  if (name === undefined || !items) return whyNoArray(envelope, arrays)
  const filled: string[] = []
  const parts = createParts(schema, { ...context, filled, path: [], array: name })
  if (typeof parts === 'string') return parts
  return {
    items,
    filled,
    isCounted: true,
    itemsIn: (body) => {
      const list = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
      return Array.isArray(list) ? (list as unknown[]) : undefined
    },
    toBody: (listing) => build(parts, listing),
  }
}

type NamedSchemas = readonly (readonly [string, JsonObject])[]

const recordArraysIn = ({ properties }: ObjectSchema): NamedSchemas =>
  [...properties].filter(([, property]) => {
    const items = itemsOf(property)
    return items !== undefined && objectSchema(items) !== undefined
  })

/** Returns the reason why an object with arrays is no envelope, as a clause. Undefined: it has none. */
function whyNoArray(envelope: ObjectSchema, arrays: NamedSchemas): string | undefined {
  if (arrays.length > 0) return `its success response has several arrays (${arrays.map(([name]) => name).join(', ')})`
  for (const [name, property] of envelope.properties) {
    if (isChoice(itemsOf(property) ?? {}))
      return `the items of ${name} in its success response may have one of several schemas (oneOf, anyOf)`
    const inner = objectSchema(property)
    const [deeper] = inner ? recordArraysIn(inner) : []
    if (deeper) return `its success response has the array one level deeper, in ${name}.${deeper[0]}`
  }
  return undefined
}

function chooseArray(arrays: NamedSchemas, segment: string): NamedSchemas[number] | undefined {
  if (arrays.length <= 1) return arrays[0]
  return [segment, ...arrayNames].flatMap((name) => arrays.filter(([key]) => isSameName(key, name)))[0]
}

interface PartsContext extends ListContext {
  /** Properties that come from the example, with a dot between the levels. */
  readonly filled: string[]
  readonly path: readonly string[]
  /** Name of the property that is the array. Undefined: an object around this one contains the array. */
  readonly array: string | undefined
}

function createParts(schema: JsonObject, context: PartsContext): ReadonlyMap<string, Part> | string {
  const { properties = new Map<string, JsonObject>(), required = new Set<string>() } = objectSchema(schema) ?? {}
  const parts = new Map<string, Part>()
  for (const name of new Set([...properties.keys(), ...required])) {
    const property = properties.get(name) ?? {}
    const path = [...context.path, name]
    if (isMarked(property, 'writeOnly')) continue
    const part = name === context.array ? listed(property, required.has(name)) : computed(name, property, context)
    // An object inside of an envelope, such as `meta`.
    const isInner = !part && path.length <= 3 && (objectSchema(property)?.properties.size ?? 0) > 0
    const inner = isInner ? createParts(property, { ...context, path, array: undefined }) : undefined
    if (typeof inner === 'string') return inner
    if (part) parts.set(name, part)
    else if (inner && (inner.size > 0 || required.has(name))) parts.set(name, (listing) => build(inner, listing))
    else if (required.has(name)) {
      if (isLink(name, property)) {
        if (!isNullable(property))
          return `its success response requires ${path.join('.')}, a link to a page that the double does not know`
        parts.set(name, () => null)
        continue
      }
      const value = valueAt(context.example(), path)
      if (value === undefined) return `its success response requires ${path.join('.')}, and its value is not known`
      context.filled.push(path.join('.'))
      parts.set(name, () => value)
    }
  }
  return parts
}

/** Returns the records of a page. An empty array that the contract does not allow is left out, if it may be. */
function listed(array: JsonObject, isRequired: boolean): Part {
  const isLeftOut = !isRequired && Number(findKeyword(array, 'minItems') ?? 0) > 0
  return ({ items }) => (isLeftOut && items.length === 0 ? undefined : items)
}

function computed(name: string, schema: JsonObject, { firstPage }: PartsContext): Part | undefined {
  const constant = findKeyword(schema, 'const')
  if (constant !== undefined) return () => constant
  const isOneOf = (names: readonly string[]): boolean => names.some((each) => isSameName(each, name))
  const type = scalarType(schema)
  if (type === 'boolean' && isOneOf(moreNames)) return ({ items, skip, total = 0 }) => skip + items.length < total
  if (type !== 'integer') return undefined
  const words = wordsOf(name)
  const isPages = words.some((word) => word === 'page' || word === 'pages')
  if (!isPages && ['total', 'count'].includes(words.at(-1) ?? '')) return ({ total }) => total
  if (isOneOf(sizeNames)) return ({ cap, items }) => cap ?? items.length
  if (isOneOf(skipNames)) return ({ skip }) => skip
  if (isOneOf(pageNames))
    return ({ cap, skip }) => firstPage + (cap === undefined || cap === 0 ? 0 : Math.floor(skip / cap))
  return undefined
}

const isLink = (name: string, schema: JsonObject): boolean =>
  scalarType(schema) !== 'integer' &&
  scalarType(schema) !== 'boolean' &&
  wordsOf(name).some((word) => linkWords.has(word))

const build = (parts: ReadonlyMap<string, Part>, listing: ListedPage): JsonObject =>
  Object.fromEntries([...parts].map(([name, part]) => [name, part(listing)]))

/** Returns the number of the first page: 0 if the default is 0, or if there is no default and the minimum is 0. Else 1. */
export function firstPageOf(parameter: Parameter | undefined): 0 | 1 {
  if (!parameter) return 1
  const first = findKeyword(parameter.schema, 'default') ?? findKeyword(parameter.schema, 'minimum')
  return first === 0 ? 0 : 1
}
