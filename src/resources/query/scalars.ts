/** Finds the values of a record by which a list is filtered, sorted and searched, and the order and the omissions that the text of an operation promises. */
import type { Operation } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import {
  allowedValues,
  comparedType,
  descriptionOf,
  findKeyword,
  isMarked,
  itemsOf,
  objectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import type { PropertySchemas } from '../infer/id-property.js'
import { successResponseOf } from '../infer/success-response.js'
import { isSameName, singularsOf, wordsOf } from '../names.js'
import type { Entry } from '../records/records.js'
import { changeTimes, creationTimes, isNamed, timeEndings } from '../roles/fresh-values.js'
import type { Selection } from './select-page.js'

/** A scalar of a record or of an object in it, or an array of scalars. Its name has a dot between the levels. */
export interface Scalar {
  readonly name: string
  readonly schema: JsonObject
  readonly read: (record: JsonObject) => unknown
}

export const scalarsIn = (properties: PropertySchemas, path: readonly string[] = []): readonly Scalar[] =>
  [...properties].flatMap(([key, schema]): Scalar | readonly Scalar[] => {
    const at = [...path, key]
    const inner = path.length === 0 ? objectSchema(schema)?.properties : undefined
    if (inner) return scalarsIn(inner, at)
    if (kindOf(schema) === undefined || isMarked(schema, 'writeOnly')) return []
    return { name: at.join('.'), schema, read: (record) => valueAt(record, at) }
  })

/** Returns the type of a scalar, or of each item of an array. An integer is a number. */
export const kindOf = (schema: JsonObject): string | undefined => comparedType(itemsOf(schema) ?? schema)

/** Finds a scalar by a name, in which the case and the separators do not count; also in `attributes`, as in JSON:API. @param endings - Words that the name may lack. */
export const findScalar = (
  scalars: readonly Scalar[],
  name: string,
  endings: readonly string[] = [],
): Scalar | undefined =>
  // The `type` of a resource of JSON:API is its collection.
  [
    ...(name === 'type' ? ['attributes.type'] : []),
    name,
    ...endings.map((ending) => name + ending),
    `attributes.${name}`,
  ].flatMap((wanted) => scalars.filter((each) => isSameName(each.name, wanted)))[0]

const isDate = (schema: JsonObject): boolean => String(findKeyword(schema, 'format')).startsWith('date')

/** Tells whether a value is a date or a time: by its format, or its description. */
export const isAboutTime = (schema: JsonObject, description: string): boolean =>
  isDate(schema) || /\b(?:dates?|times?|timestamps?)\b/iu.test(description)

/** Tells whether a scalar is a time: by its format, else by its name. */
export const isTime = ({ name, schema }: Scalar): boolean =>
  scalarType(schema) === 'string' &&
  (isDate(schema) || (!findKeyword(schema, 'format') && timeEndings.includes(wordsOf(name).at(-1) ?? '')))

const promises =
  /^(?:lists?|gets?|returns?|shows?|fetch(?:es)?) (?:the |all )?(?:most )?(?:recent|latest|newest)\b|\breverse.chronological|\b(?:newest|latest|oldest|most recent)\b[^.]*\bfirst\b|\bfrom (?:the )?(?:newest|latest|oldest|most recent)\b|\b(?:(?:sort|order|return)(?:ed|s)?\b.*|\bby default\b.*\bare in )\b(?:(?:a|de)scending|most recent)|\b(?:sort|order)ed (?:\w+ )?by\b/iu
const descends = /\bdescending|\breverse|(?<!\bto (?:the )?)\b(?:newest|latest|(?:most )?recent)/iu

/** Reads the order that a description promises, such as "newest first", "in descending order of uid". Empty: none. */
export function promisedOrder(operation: Operation, properties: PropertySchemas): Selection['order'] {
  const { parameters, text } = operation
  const success = successResponseOf(operation)
  const shown = propertiesOf(success.json?.schema ?? {}).values()
  const lists = [...shown].filter((schema) => itemsOf(schema) !== undefined)
  const texts = [text, success.description, ...lists.map(descriptionOf)].flatMap((each) => each.split(/\.\s|;/u))
  const inText = texts.find((each) => promises.test(each) && !/\bcan be\b|\bif\b/iu.test(each))
  const otherwise = /\bif not (?:specified|provided|given|set)\b[^.]*\b(?:sort|order)ed by\b[^.]*/iu
  const told = inText ?? parameters.flatMap(({ description }) => otherwise.exec(description) ?? [])[0]
  const scalars = scalarsIn(properties).filter(
    ({ name, schema }) => scalarType(schema) !== undefined && !name.includes('.'),
  )
  const place = scalars.find(({ schema }) => /\b(?:sort|order)ed by this\b/iu.test(descriptionOf(schema)))
  if (told === undefined) return place ? [{ read: ({ record }) => place.read(record), isDescending: false }] : []
  const [sorting = told] = /\b(?:sort|order)(?:ed|s)?\b.*/iu.exec(told) ?? []
  const [, by = ''] =
    /\b(?:by|of|on) (?!default)(?:the |ascending |descending )*[`"']?(\w+(?: \w+){0,2})/iu.exec(sorting) ?? []
  // `market cap` is `marketCap`, `query name` may be `name`, and `cash holdings` may be `cash`.
  const words = by.replace(/ (?:and|asc|by|desc|for|from|in|of|or|then|with)\b.*/iu, '').split(' ')
  const phrases = words.map((_, at) => words.slice(0, words.length - at).join(' '))
  const names = phrases.toSpliced(-1, 0, words.at(-1) ?? '')
  const times = /\bupdat|\bmodif/iu.test(told) ? changeTimes : creationTimes
  const [onlyTime, ...otherTimes] = /\b(?:newest|latest|oldest|recent|chronological)/iu.test(told)
    ? scalars.filter(isTime)
    : []
  const isToldCreated = ({ schema }: Scalar): boolean => /\bwhen\b[^.]*\bcreated\b/iu.test(descriptionOf(schema))
  // "Upload date" is `uploadedAt`.
  const dates = names.map((name) => name.replace(/e? (?:date|time)$/u, 'ed at'))
  const [named] = [...names, ...dates].flatMap((name) => findScalar(scalars, name, timeEndings) ?? [])
  const found =
    named ??
    scalars.find(({ name }) => isNamed(name, times)) ??
    (times === creationTimes
      ? (scalars.find(isToldCreated) ?? (otherTimes.length === 0 ? onlyTime : undefined))
      : undefined)
  // What the records with an equal value are ordered by does not count.
  const isDescending = descends.test(told.replace(/,?\s+(?:and\s+)?then\b.*/isu, ''))
  const bySequence = { read: ({ sequence }: Entry) => sequence, isDescending }
  return found ? [{ read: ({ record }) => found.read(record), isDescending }, bySequence] : [bySequence]
}

/**
 * Finds the properties in which a description says that a text is searched: `by name or mail`, `searches name, phone`, `relational fields are
 * not searched`. Undefined: every property. `ignored` are the names of which nothing is known.
 */
export function toldToSearch(
  description: string,
  { path, text }: Operation,
  scalars: readonly Scalar[],
  idProperty: string,
): { readonly found: readonly Scalar[]; readonly ignored: readonly string[] } | undefined {
  if (/\brelational\b[^.]*\bnot\b/iu.test(description))
    return { found: scalars.filter(({ name }) => !name.includes('.')), ignored: [] }
  const inParameter =
    /^\W*the (\w+) of (?:the|an?|each) [^.]*\b(?:filter|search)/iu.exec(description) ??
    /\b(?:have|has|having) (?:an? |the )?([^.()]+?) that (?:contain|match)\w*\b/iu.exec(description) ??
    /\b(?:whose|who's) ([^.()]+?) (?:starts?|begins?|contains?|match\w*)\b/iu.exec(description) ??
    /\b(?:against|by|in|on|searche?s) ([^.()]+?)(?: partial)?(?: match)?[\s)]*(?:\([^)]*\))?\s*(?:\.|$)/iu.exec(
      description,
    ) ??
    /\b(?:across|for) ([^.()]+?)\s*(?:\.|$)/iu.exec(description)
  const [, list = ''] = inParameter ?? /\bwith (?:an? )?([^.()]+?) (?:that )?match/iu.exec(text) ?? []
  const things = singularsOf(lastLiteral(path))
  const names = list
    .split(/,|\/|\b(?:and|or)\b/u)
    .map((each) => each.replace(/^.*\bfor |^\s*(?:the|its|their|an?) /u, '').trim())
    .filter(Boolean)
  const named = names.map((each) => {
    const own = things.includes(each.split(' ')[0] ?? '') ? each.replace(/^\S+ /u, '') : each
    return findScalar(scalars, own) ?? (/^ids?$/iu.test(own) ? findScalar(scalars, idProperty) : undefined)
  })
  const found = named.flatMap((each) => each ?? [])
  const ignored = names.filter((_, at) => named[at] === undefined)
  // Of a text that names little that is known, the rest is no list of names.
  const isList =
    found.length > ignored.length && !ignored.some((each) => /\b(?:any|all|other|fields?|text)\b/iu.test(each))
  return isList ? { found, ignored } : undefined
}

/** Returns the values that a schema allows for a value, or for each item of an array. */
export const valuesOf = (schema: JsonObject): readonly unknown[] => allowedValues(itemsOf(schema) ?? schema)

/** Names that select every record, if the parameter lists them or has them as its default and the property does not list them. */
export const everyNames: ReadonlySet<unknown> = new Set(['all', 'any', 'none'])

/** Lists the values of a parameter that select every record: such names, and an empty text, a sign or a flag whose description says so. @param known - The values that the property lists. */
export function valuesOfEvery(schema: JsonObject, description: string, known: readonly unknown[]): readonly unknown[] {
  const named = [...valuesOf(schema), findKeyword(schema, 'default')]
  // The zero value of an enum of Protocol Buffers is none of its values.
  const isZero = (value: unknown): boolean => typeof value === 'string' && /_(?:UNKNOWN|UNSPECIFIED)$/u.test(value)
  const every = named.filter((value) => isZero(value) || (everyNames.has(value) && !known.includes(value)))
  if (/\bempty\b[^.]*\ball\b|\bleave (?:it )?(?:blank|empty)\b/iu.test(description)) every.push('')
  const [, sign] = /([^\s\w"'`]+)["'`]? can be used to \w+ (?:\w+ of )?all\b/iu.exec(description) ?? []
  if (sign !== undefined) every.push(sign)
  if (kindOf(schema) !== 'boolean') return every
  const adds =
    /^include\b|\bwhether to (?:also )?(?:include|show)\b|\btrue\b[^.]*\balso (?:returns?|includes?|shows?|lists?)\b/iu
  if (/\bfalse\b[^.]*\ball\b/iu.test(description)) every.push(false)
  if (adds.test(description)) every.push(true)
  return every
}

/** Returns the texts of a list, or those between the commas of one value. */
export const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(',')).map((text) => text.trim())

/** Tells whether a value has a text in one of its strings, at any depth. The case does not count. @param wanted - In lower case. @param isStart - True if a string must start with it. */
export const hasText = (value: unknown, wanted: string, isStart: boolean): boolean =>
  typeof value === 'string'
    ? value.toLowerCase()[isStart ? 'startsWith' : 'includes'](wanted)
    : typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((inner) => hasText(inner, wanted, isStart))

/** Returns the day of a time in UTC, such as 2026-11-23. Undefined: it is no time. */
export function dayOf(time: unknown): string | undefined {
  const ms = Date.parse(String(time))
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10)
}

/** Returns the largest value of a cap that a description tells: `max 100`, `between 1 and 100`, `up to 100`. Undefined: none. */
export function toldMaximum(description: string): number | undefined {
  const [, told] =
    /\b(?:max(?:imum)?(?: (?:is|of|value|limit|allowed))*:?|up to|(?:from|between) [`"']?1[`"']? (?:and|to)) [`"']?(\d+)\b/iu.exec(
      description.replaceAll(/\s+/gu, ' '),
    ) ?? []
  return told === undefined ? undefined : Number(told)
}
