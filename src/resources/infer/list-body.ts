/** Finds the records in the body of a listing: the body is the array, or an envelope with the array and computed properties. */
import {
  descriptionOf,
  findKeyword,
  isChoice,
  isMarked,
  isNullable,
  itemsOf,
  objectSchema,
  type ObjectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectOf, textOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { once } from '../../once.js'
import { inWords, isSameName, wordsOf } from '../names.js'
import type { Relation, SelectedPage, Way, WaysTo } from '../query/select-page.js'
import { isOfOthers, isToldBeside } from './record-body.js'

/**
 * Finds the items in the schema of a listing.
 *
 * @param segment - The last literal segment of its path.
 * @param values - The values of properties that are not computed. Default: any is known.
 * @param read - The schemas that a read shows. Of several arrays, theirs is the one.
 * @returns Or the reason why there are none, as a clause.
 */
export function findListBody(
  schema: JsonObject,
  segment: string,
  values = anyValues,
  read: readonly JsonObject[] = [],
): ListBody | string {
  if (read.includes(schema)) return 'its success response is one record'
  const items = itemsOf(schema)
  const envelope = objectSchema(schema)
  const found = items ? { items, path: [] } : envelope && findArray(envelope, segment, read)
  if (typeof found !== 'object')
    return found ?? 'its success response is neither an array of objects nor an object with one'
  const { path } = found
  const isOfRead = ([, each]: readonly [string, JsonObject]): boolean => read.includes(itemsOf(each) ?? {})
  if (!read.includes(found.items) && [...propertiesOf(found.items)].some(isOfRead))
    return 'each object of its list has a list of the records'
  // Statistics, such as `{total, months: […]}`, are no records.
  const array = path.reduce((around, name) => propertiesOf(around).get(name) ?? {}, schema)
  const least = items ? 0 : Number(findKeyword(array, 'minItems') ?? 0)
  if (least > 1) return `its list has at least ${least} items, which no state promises`
  const filled: string[] = []
  const told: PartsContext['told'] = new Map()
  const shows = new Set<ShownPart>()
  const parts = items
    ? new Map<string, Part>()
    : createParts(schema, { ...values, filled, told, shows, path: [], array: path })
  if (typeof parts === 'string') return parts
  return {
    items: found.items,
    filled: () => [...filled, ...[...told].flatMap(([name, value]) => (value() === undefined ? [] : name))],
    leftOut: () => [...told].flatMap(([name, value]) => (value() === undefined && !isOfOthers(name) ? name : [])),
    shows,
    itemsIn: (body) => {
      const list = valueAt(body, path)
      return Array.isArray(list) ? (list as unknown[]) : undefined
    },
    toBody: (listing) => (items ? listing.items : build(parts, listing)),
  }
}

interface ListedPage extends Omit<SelectedPage, 'entries'> {
  /** Counts the records that the request could list without its filters. */
  readonly whole: () => number
  /** The records as they are shown, in order. Frozen. */
  readonly items: readonly unknown[]
  readonly cap: number | undefined
  /** True if records follow the page. `hasMore` is true if there are more in the direction of the request's cursor. */
  readonly hasNext: boolean
  readonly pageNumber: number
  readonly waysTo: WaysTo
}

/** Something that the listing must know for a body: the total, or the way to another page. */
type ShownPart = 'total' | 'cursor' | 'link'

export interface ListBody {
  readonly items: JsonObject
  /** Returns the properties of the body that come from the example. */
  filled(): readonly string[]
  /** Returns the properties of the body of which nothing is known. */
  leftOut(): readonly string[]
  readonly shows: ReadonlySet<ShownPart>
  /** Returns the items in a body. Undefined: the body has no such list. */
  itemsIn(body: unknown): readonly unknown[] | undefined
  toBody(listing: ListedPage): unknown
}

interface EnvelopeValues {
  /** The path of the operation. */
  readonly operationPath: string
  example(): unknown
  /** Returns a value for a required property that the example lacks. Undefined: none is known. */
  generate(schema: JsonObject): unknown
}

const anyValues: EnvelopeValues = { operationPath: '', example: () => undefined, generate: () => 0 }

/** Computes a property of an envelope. Undefined: the property is left out. */
type Part = (listing: ListedPage) => unknown

/** Finds the array of records: in the envelope, or in an object in it. @returns Or the reason why there is none, as a clause; undefined if there is no array at all. */
function findArray(
  envelope: ObjectSchema,
  segment: string,
  read: readonly JsonObject[],
  isInside = false,
): { readonly items: JsonObject; readonly path: readonly string[] } | string | undefined {
  const arrays = [...envelope.properties].flatMap(([key, property]) => {
    const items = itemsOf(property)
    return items && objectSchema(items) ? [[key, items] as const] : []
  })
  const ofRead = arrays.filter(([, items]) => read.includes(items))
  const [name, items] = chooseNamed(arrays, segment) ?? (ofRead.length === 1 ? ofRead : [])[0] ?? []
  if (name !== undefined && items) return { items, path: [name] }
  if (arrays.length > 0) return `its success response has several arrays (${arrays.map(([key]) => key).join(', ')})`
  const deeper = isInside
    ? []
    : [...envelope.properties].flatMap(([key, property]) => {
        const inner = objectSchema(property)
        const found = inner && findArray(inner, segment, read, true)
        return typeof found === 'object' ? [[key, found] as const] : []
      })
  const [key, found] = chooseNamed(deeper, segment) ?? []
  if (key !== undefined && found) return { ...found, path: [key, ...found.path] }
  const choice = [...envelope.properties].find(([, property]) => isChoice(itemsOf(property) ?? {}))
  return choice && `the items of ${choice[0]} in its success response may have one of several schemas (oneOf, anyOf)`
}

/** Chooses the only one, else the one that is named like the path, or has a usual name. */
function chooseNamed<T>(found: readonly (readonly [string, T])[], segment: string): readonly [string, T] | undefined {
  if (found.length <= 1) return found[0]
  return [segment, 'data', 'items', 'results'].flatMap((name) => found.filter(([key]) => isSameName(key, name)))[0]
}

interface PartsContext extends EnvelopeValues {
  /** Properties that come from the example, with a dot between the levels. */
  readonly filled: string[]
  /** Optional properties with the values of the example, likewise. They are found on the first use, which takes long. */
  readonly told: Map<string, () => unknown>
  readonly shows: Set<ShownPart>
  readonly path: readonly string[]
  /** The names of the properties next to a property. */
  readonly siblings?: readonly string[]
  /** The path to the array from here. Empty: it is elsewhere. */
  readonly array: readonly string[]
}

function createParts(schema: JsonObject, context: PartsContext): ReadonlyMap<string, Part> | string {
  const { properties = new Map<string, JsonObject>(), required = new Set<string>() } = objectSchema(schema) ?? {}
  const parts = new Map<string, Part>()
  const told = new Map<string, () => unknown>()
  const siblings = [...properties.keys()]
  for (const name of new Set([...properties.keys(), ...required])) {
    const property = properties.get(name) ?? {}
    const path = [...context.path, name]
    if (isMarked(property, 'writeOnly')) continue
    const array = name === context.array[0] ? context.array.slice(1) : []
    const isArray = name === context.array[0] && array.length === 0
    const part = (isArray ? listed : computed)(property, required.has(name), { ...context, siblings, path })
    // An object inside of an envelope, such as `meta`.
    const isInner = !part && path.length <= 3 && propertiesOf(property).size > 0
    const inner = isInner ? createParts(property, { ...context, path, array }) : undefined
    if (typeof inner === 'string') return inner
    if (part) parts.set(name, part)
    else if (inner && (inner.size > 0 || required.has(name))) {
      const relation = /(?<!ou)s$/u.test(name) ? undefined : relationOf([name])
      const isRequired = required.has(name)
      const mayBeNull = isNullable(property)
      const isKept = array.length > 0 || relation === undefined || (isRequired && !mayBeNull)
      parts.set(name, (listing) => {
        if (isKept || listing.waysTo(relation).length > 0) return build(inner, listing)
        return mayBeNull && (isRequired || listing.cap !== undefined) ? null : undefined
      })
    } else if (required.has(name)) {
      const value = valueAt(context.example(), path) ?? context.generate(property)
      if (value === undefined) return `its success response requires ${path.join('.')}, and its value is not known`
      context.filled.push(path.join('.'))
      parts.set(name, () => value)
    } else {
      const value = once(() => [valueAt(context.example(), path)].find((each) => isToldBeside(path, each, property)))
      told.set(name, value)
    }
  }
  // An object with nothing else is one of these values itself.
  if (parts.size === 0 && context.path.length > 0) return parts
  for (const [name, value] of told) context.told.set([...context.path, name].join('.'), value)
  return new Map([...parts, ...told])
}

/** Returns the records of a page. An empty array that the contract does not allow is left out, if it may be. */
function listed(array: JsonObject, isRequired: boolean): Part {
  const isLeftOut = !isRequired && Number(findKeyword(array, 'minItems') ?? 0) > 0
  return ({ items }) => (isLeftOut && items.length === 0 ? undefined : items)
}

function computed(schema: JsonObject, isRequired: boolean, context: PartsContext): Part | undefined {
  const constant = findKeyword(schema, 'const')
  if (constant !== undefined) return () => constant
  const name = context.path.at(-1) ?? ''
  const isOneOf = (...names: readonly string[]): boolean => names.some((each) => isSameName(each, name))
  const type = scalarType(schema)
  const words = wordsOf(name)
  const told = descriptionOf(schema)
  if (type === 'boolean') {
    const hasMoreWord = words.includes('more')
    if (words.includes('next') || (hasMoreWord && /\bafter\b/iu.test(told))) return ({ hasNext }) => hasNext
    if (hasMoreWord) return ({ hasMore }) => hasMore
    if (isOneOf('done', 'last', 'isLast')) return ({ hasMore }) => !hasMore
    if (isOneOf('first', 'isFirst')) return ({ start }) => start === 0
    return isOneOf('empty', 'isEmpty') ? ({ items }) => items.length === 0 : undefined
  }
  const isNumber = type === 'integer' || type === 'number'
  const [firstTold = ''] = told.split(/\.\s/u)
  const isOfPage =
    isOneOf('numberOfElements') ||
    /\bnumber of\b.*\b(?:in|on) the current page\b/iu.test(firstTold) ||
    (!/\b(?:total|page(?! (?:count|items|results)))\b/u.test(words.join(' ')) &&
      ofPage.test(firstTold) &&
      !/\bmax(?:imum)?\b|\bmatch(?:ed|es|ing)?\b|\bmore than\b/iu.test(firstTold))
  const least = Number(findKeyword(schema, 'minimum') ?? 0)
  if (isNumber && isOfPage) return ({ items }) => Math.max(items.length, least)
  if (isNumber && isOneOf('limit', 'pageSize', 'perPage', 'maxPerPage', 'size')) {
    const stated = findKeyword(schema, 'default')
    const usual = once(() => Number(findKeyword(schema, 'example') ?? valueAt(context.example(), context.path)))
    return ({ cap, items: { length } }) => {
      const otherwise = isRequired ? Math.max(length, least) : undefined
      return cap ?? stated ?? (usual() >= length ? usual() : otherwise)
    }
  }
  const link = linkPart(schema, isRequired, context)
  if (link) return link
  if (type === 'string' && isOneOf('firstId', 'lastId')) {
    const absent = isNullable(schema) ? null : isRequired ? '' : undefined
    return ({ items }) => objectOf(items.at(isOneOf('firstId') ? 0 : -1))['id'] ?? absent
  }
  if (!isNumber) return undefined
  const spoken = words.join(' ')
  const isPages = /\bpages?\b/u.test(spoken)
  const isTotal = /\b(?:total|count)$|^total (?:items|elements|entries|results|records)$/u.test(spoken)
  const hasSibling = (pattern: RegExp): boolean =>
    context.siblings?.some((each) => pattern.test(inWords(each))) === true
  // Next to a total, it counts the records of the page.
  if (isOneOf('count') && hasSibling(/^total(?: count)?$/u) && !/\btotal\b/iu.test(told))
    return ({ items }) => items.length
  // Next to the number of those that a filter leaves.
  if (isTotal && !words.includes('filter') && hasSibling(/\bfilter(?:ed)?\b/u)) return ({ whole }) => whole()
  // The rest is none of the last page.
  if (isTotal && /\bremaining\b|\bleft\b/u.test(spoken)) {
    context.shows.add('total')
    const none = isRequired ? 0 : undefined
    return ({ items, start, total = 0 }) => Math.max(0, total - start - items.length) || none
  }
  const isAllPages =
    /\btotal\b|^last page$/u.test(spoken) || (spoken === 'pages' && hasSibling(/^(?:count|limit|total)$/u))
  if (isTotal || (isPages && isAllPages)) {
    context.shows.add('total')
    return isPages ? ({ cap, total = 0 }) => Math.max(cap ? Math.ceil(total / cap) : 1, least) : ({ total }) => total
  }
  // Some count from one.
  if (isOneOf('offset', 'skip')) return ({ start }) => start + Math.min(least, 1)
  if (
    isOneOf('page', 'pageNumber', 'currentPage') ||
    (isOneOf('number') && context.siblings?.includes('numberOfElements'))
  )
    return ({ pageNumber }) => pageNumber
  return undefined
}

const ofPage =
  /\b(?:amount|number) of\b.*\b(?:returned|(?:in|on) (?:an?|the|this) (?:results?|(?:result )?set|(?:collection )?(?:page|response)))\b/iu

const isLinkNamed = /\b(?:ur[il]|links?|href|path)\b/u

/** Finds the page to which a link or a cursor leads, by the words of its path. */
function relationOf(path: readonly string[]): Relation | undefined {
  const words = path.flatMap(wordsOf).join(' ')
  if (/\bprev(?:ious)?\b/u.test(words)) return 'previous'
  if (/\bnext\b/u.test(words)) return 'next'
  const [named] = isLinkNamed.test(words) ? (/\b(?:current|first|last|self)\b/u.exec(words) ?? []) : []
  if (named !== undefined) return named === 'first' || named === 'last' ? named : 'self'
  if (!/\b(?:cursors?|iterator)\b|\bpage token|\bcontinu(?:e|ation)\b/u.test(words)) return undefined
  if (/\b(?:current|self)\b/u.test(words)) return 'current'
  return /\b(?:before|start)\b/u.test(words) ? 'previous' : 'next'
}

/** Computes a link, a cursor or a number that leads to another page. A text that may be either is a cursor if a parameter takes one. */
function linkPart(
  schema: JsonObject,
  isRequired: boolean,
  { example, operationPath, path, shows }: PartsContext,
): Part | undefined {
  const relation = relationOf(path)
  const words = path.flatMap(wordsOf).join(' ')
  const type = scalarType(schema)
  const format = findKeyword(schema, 'format')
  const shown = textOf(findKeyword(schema, 'example'))
  const isAbsolute = /^https?:/u.test(shown)
  // The example of a first page has no link to the previous one, and others tell what it is like.
  const isShownAbsolute = once(() => {
    const near = valueAt(example(), path) ?? valueAt(example(), path.slice(0, 1))
    return /"https?:/u.test(JSON.stringify(near) ?? '')
  })
  /** Leaves out the path of the server, if the example has none. */
  const asShown = (target: string): string => {
    const base = target.slice(0, Math.max(0, target.indexOf(operationPath.split('{')[0] ?? '')))
    return shown.startsWith('/') && !shown.startsWith(base) ? target.slice(base.length) : target
  }
  const isUrl = format === 'uri' || format === 'url' || isAbsolute
  const isLink = isUrl || format === 'uri-reference' || isLinkNamed.test(words)
  // What is next to a `href`.
  if (/^(?:method|rel|title|type)$/u.test(path.at(-1) ?? '')) return undefined
  const isOther = findKeyword(schema, 'pattern') !== undefined || (type === 'string' && format !== undefined && !isLink)
  if (relation === undefined || isOther || (type !== 'string' && type !== 'integer')) return undefined
  if (type === 'string') shows.add('link')
  if (relation === 'last') shows.add('total')
  if (type === 'string' && !isLink) shows.add('cursor')
  const isCursor = /\b(?:cursors?|iterator|token|after|before|offset|continue)\b/u.test(words)
  const show = ({ kind, url, value }: Way): unknown => {
    const isOfId = kind === 'cursor' && typeof value === 'number'
    if (type === 'integer') return isOfId || kind === (words.includes('page') ? 'page' : 'skip') ? value : undefined
    if (!isLink && (kind === 'cursor' || isCursor)) return kind === 'cursor' ? String(value) : undefined
    return isUrl || isShownAbsolute() ? url().href : asShown(url().pathname + url().search)
  }
  const nothing = type === 'integer' ? 0 : isUrl && format !== undefined ? 'about:blank' : ''
  const isEmpty = type === 'string' && /\bwill be (?:empty|an empty string)\b/iu.test(descriptionOf(schema))
  const absent = isNullable(schema) ? null : isRequired || isEmpty ? nothing : undefined
  // Null would say that nothing is left.
  const unknown = isRequired ? absent : undefined
  return ({ hasMore, waysTo }) =>
    waysTo(relation).flatMap((way) => show(way) ?? [])[0] ?? (hasMore && relation === 'next' ? unknown : absent)
}

const build = (parts: ReadonlyMap<string, Part>, listing: ListedPage): JsonObject =>
  Object.fromEntries([...parts].map(([name, part]) => [name, part(listing)]).filter(([, value]) => value !== undefined))
