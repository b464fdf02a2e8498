/** Splits serialized parameters by OpenAPI's styles, before percent-decoding (RFC 6570): `a%2Cb` is one item. */
import { groupBy, isObject, type JsonObject, mapValues, objectAt } from '../../documents/object.js'
import type { Parameter, Json } from '../contract.js'
import { parseNumberWithinBounds } from '../parse-large-integers.js'
import { itemSchema, type JsonType, propertySchema, type Shape, typesOf } from '../schemas/read-schema.js'

/** A deserialized value whose primitives are still texts. */
export type TextValue = string | readonly TextValue[] | { readonly [name: string]: TextValue }

/** A name and a value in a query, a form or a Cookie header. */
export interface Pair {
  /** Percent-decoded. */
  readonly name: string
  /** The value, still percent-encoded. */
  readonly raw: string
}

export interface FoundParameter {
  /** The decoded texts, for messages. Empty if the parameter is absent. */
  readonly texts: readonly string[]
  /** The deserialized value. Undefined if the parameter is absent or malformed. */
  readonly text: TextValue | undefined
  /** The reason why the parameter is malformed: given more than once, or not written in its style. */
  readonly malformed?: 'repeated' | 'style' | undefined
}

export type StyledParameter = Pick<Parameter, 'name' | 'style' | 'explode'> & { readonly description?: string }

/** Signs that the items of a list are in one value, whatever `explode` says by default. */
const toldCommas = /\bcomma.(?:sepa|deli)|\bseparat\w+ [^.]*\b(?:by|with) (?:(?:a|the) )?(?:commas?\b|[`"'],)/iu

/** Signs that a text may be given several times. Its values are then joined by commas. */
const toldRepeated = /\b(?:multiple|several) times\b|\bmore than once\b|\brepeated\b/iu

const absent: FoundParameter = { texts: [], text: undefined }

/** Decodes a text of a query or a form. `+` is a space. Invalid percent-encoding stays as it is. */
export const decodeQueryText = (raw: string): string =>
  /[+%]/u.test(raw) ? (new URLSearchParams(`x=${raw}`).get('x') ?? '') : raw

/** Splits a query, a form or a Cookie header into pairs. */
export const splitPairs = (text: string, separator: string | RegExp = '&'): readonly Pair[] =>
  text.split(separator).flatMap((part) => {
    if (part === '') return []
    const [name = '', ...values] = part.split('=')
    return [{ name: decodeQueryText(name), raw: values.join('=') }]
  })

const delimiters: Record<string, RegExp> = { form: /,/u, spaceDelimited: /%20|\+/u, pipeDelimited: /\||%7C/iu }

/** Finds a parameter in pairs. @param isOwn - Tells whether a name is a property of it: an exploded object has a pair for each property. */
export function findInPairs(
  { description = '', explode, name, style }: StyledParameter,
  shape: Shape,
  pairs: readonly Pair[],
  isOwn: (name: string) => boolean,
): FoundParameter {
  if (style === 'deepObject' && shape !== 'primitive') return readDeepObject(name, pairs)
  if (shape === 'object' && explode) {
    const own = pairs.filter((pair) => isOwn(pair.name))
    if (own.length === 0) return absent
    return { texts: own.map(formatPair), text: group(own.map(({ name: key, raw }) => [key, decodeQueryText(raw)])) }
  }
  const given = pairs.filter((pair) => pair.name === name).map(({ raw }) => raw)
  const texts = given.map(decodeQueryText)
  const [first] = given
  if (first === undefined) return absent
  const isOne = given.length === 1 && toldCommas.test(description)
  if (shape === 'array' && explode && !isOne) return { texts, text: texts }
  if (given.length > 1 && shape === 'primitive' && toldRepeated.test(description))
    return { texts, text: texts.join(',') }
  if (given.length > 1) return { texts, text: undefined, malformed: 'repeated' }
  if (shape === 'primitive') return { texts, text: decodeQueryText(first) }
  const items = first.split(delimiters[style] ?? /,/u).map(decodeQueryText)
  return shape === 'array' ? { texts, text: items } : objectOf(texts, toEntries(items))
}

const formatPair = ({ name, raw }: Pair): string => `${name}=${decodeQueryText(raw)}`

/** Reads `filter[tag]=care`. OpenAPI does not define nested and repeated names, but clients send them. */
function readDeepObject(name: string, pairs: readonly Pair[]): FoundParameter {
  const own = pairs.filter((pair) => pair.name.startsWith(`${name}[`))
  if (own.length === 0) return absent
  const texts = own.map(formatPair)
  const entries = own.map(({ name: each, raw }) => ({ inside: each.slice(name.length), value: decodeQueryText(raw) }))
  if (!entries.every(({ inside }) => /^(?:\[[^[\]]*\])+$/u.test(inside)))
    return { texts, text: undefined, malformed: 'style' }
  return { texts, text: nest(entries.map(({ inside, value }) => ({ keys: keysIn(inside), value }))) }
}

/** Returns the keys in brackets, such as `[0][name]`. */
export const keysIn = (brackets: string): readonly string[] => brackets.slice(1, -1).split('][')

/** Makes an object of values by their keys from the outside, and an array of values without a key. */
export function nest(entries: readonly { keys: readonly string[]; value: string }[]): TextValue {
  const byName = groupBy(entries, ({ keys }) => keys[0] ?? '')
  // Clients write arrays as `name[]=value`.
  if (byName.size === 1 && byName.has('')) return entries.map(({ value }) => value)
  const nested = [...byName].map(([name, own]) => {
    if (own.every(({ keys }) => keys.length <= 1)) return [name, oneOrAll(own.map(({ value }) => value))]
    return [name, nest(own.map(({ keys, value }) => ({ keys: keys.slice(1), value })))]
  })
  return Object.fromEntries(nested)
}

const oneOrAll = (values: readonly string[]): TextValue => (values.length === 1 ? (values[0] ?? '') : values)

/** Reads a parameter from a path segment or a header field. */
export function readPathOrHeaderText(parameter: Parameter, shape: Shape, raw: string): FoundParameter {
  const { explode, in: place, name, style } = parameter
  const decode = (part: string): string => (place === 'path' ? decodeURIComponent(part) : part)
  const texts = [decode(raw)]
  const invalid: FoundParameter = { texts, text: undefined, malformed: 'style' }
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : ''
  if (!raw.startsWith(prefix)) return invalid
  const body = raw.slice(prefix.length)
  const separator = explode && prefix !== '' ? prefix : ','
  const split = (text: string): string[] => text.split(separator).map((part) => (prefix === '' ? part.trim() : part))
  const isNamed = style === 'matrix' && !(shape === 'object' && explode)
  if (isNamed && shape === 'array' && explode) {
    const parts = split(body).map((part) => withoutName(part, name))
    const items = parts.filter((part) => part !== undefined)
    return items.length === parts.length ? { texts, text: items.map(decode) } : invalid
  }
  const value = isNamed ? withoutName(body, name) : body
  if (value === undefined) return invalid
  if (shape === 'primitive') return { texts, text: decode(value) }
  if (shape === 'array') return { texts, text: split(value).map(decode) }
  if (!explode) return objectOf(texts, toEntries(split(value).map(decode)))
  const entries = split(value).map((part) => {
    const at = part.indexOf('=')
    return at === -1 ? undefined : ([decode(part.slice(0, at)), decode(part.slice(at + 1))] as const)
  })
  const complete = entries.filter((entry) => entry !== undefined)
  return objectOf(texts, complete.length === entries.length ? complete : undefined)
}

/** Removes the name from `;color=blue`. RFC 6570 omits the equals sign if the value is empty. */
function withoutName(part: string, name: string): string | undefined {
  if (part === name) return ''
  return part.startsWith(`${name}=`) ? part.slice(name.length + 1) : undefined
}

type Entries = readonly (readonly [string, string])[]

const objectOf = (texts: readonly string[], entries: Entries | undefined): FoundParameter =>
  entries ? { texts, text: group(entries) } : { texts, text: undefined, malformed: 'style' }

/** Converts `R,100,G,200` to entries. Undefined if a value is missing. */
function toEntries(items: readonly string[]): Entries | undefined {
  if (items.length % 2 === 1) return undefined
  return items.flatMap((name, index) => (index % 2 === 0 ? [[name, items[index + 1] ?? ''] as const] : []))
}

function group(entries: Entries): TextValue {
  const byName = groupBy(entries, ([name]) => name)
  return Object.fromEntries([...byName].map(([name, given]) => [name, oneOrAll(given.map(([, value]) => value))]))
}

const patterns = {
  integer: /^(?:0|-?[1-9]\d*)$/u,
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u,
  boolean: /^(?:true|false)$/u,
}

/** The preferred type if a schema allows several: the most specific type that matches the text, or a string if strings are allowed. */
type PreferredType = 'specific' | 'string'

/** Converts a text. A text that matches none of the schema's types stays a string, and fails the validation later. */
export function convertText(text: TextValue, schema: unknown, preferred: PreferredType): Json {
  if (typeof text === 'string') return convertString(text, schema, preferred)
  if (isList(text)) return text.map((item, index) => convertText(item, itemSchema(schema, index), preferred))
  return mapValues(text, (value, name) => convertText(value, propertySchema(schema, name), preferred))
}

const isList = (text: TextValue): text is readonly TextValue[] => Array.isArray(text)

function convertString(text: string, schema: unknown, preferred: PreferredType): Json {
  const types = typesOf(schema) ?? new Set<JsonType>(['string'])
  if (types.has('string') && (preferred === 'string' || types.size === 1)) return text
  if (types.has('boolean') && patterns.boolean.test(text)) return text === 'true'
  const number = types.has('number') ? patterns.number : types.has('integer') ? patterns.integer : undefined
  if (number?.test(text)) return parseNumberWithinBounds(text, schema)
  // RFC 6570 has no null. An empty value is the closest to it.
  if (types.has('null') && !types.has('string') && text === '') return null
  const isItem = types.has('array') && !types.has('string') && !types.has('object')
  return isItem ? [convertString(text, itemSchema(schema, 0), preferred)] : text
}

/** The media type of a query that is one value (`in: querystring` of OpenAPI 3.2), like an exploded object in the query. */
export const formMediaType = 'application/x-www-form-urlencoded'

/** Tells whether the query is documented as a form. Other media types are not enforced. */
export const isFormInQuery = (parameter: unknown): boolean =>
  isObject(parameter) && Object.hasOwn(objectAt(parameter, 'content'), formMediaType)

/** Returns the same parameter as an exploded object in the query. */
export function asQueryParameter({ content, ...parameter }: JsonObject): JsonObject {
  const { schema } = objectAt(content, formMediaType)
  return { ...parameter, in: 'query', style: 'form', explode: true, schema }
}
