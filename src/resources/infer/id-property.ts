/** Finds the property of a record that its path parameter contains. */
import type { Parameter } from '../../contract/contract.js'
import {
  comparedType,
  descriptionOf,
  findKeyword,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectAt, onlyOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { inWords, isSameName, singularsOf, wordsOf } from '../names.js'

/** The schemas of properties, by name. */
export type PropertySchemas = ReadonlyMap<string, JsonObject>

type IdParameter = Pick<Parameter, 'name' | 'schema'> & Partial<Pick<Parameter, 'description'>>

/**
 * Finds the property that a path parameter contains: the one that its name or the collection names, a property inside of an object, or the only
 * one that is unique by its usual name. @param parameter - Undefined: no path contains an id. @param collection - The literal segment before the parameter.
 * @returns The path of the property, such as `metadata`, `name`. Undefined: none.
 */
export function findIdPath(
  parameter: IdParameter | undefined,
  collection: string,
  properties: PropertySchemas,
  required: ReadonlySet<string>,
): readonly string[] | undefined {
  if (!parameter) return findUnaddressedId(properties)
  if (idPrefixOf(properties.get('name') ?? {}, collection) !== '') return ['name']
  const { name, schema } = parameter
  const singulars = singularsOf(collection)
  const names = [...properties.keys()].filter((key) => mayHoldId(properties.get(key) ?? {}, name, schema))
  const sameType = names.filter((key) => comparedType(properties.get(key) ?? {}) === comparedType(schema))
  const { description = '' } = parameter
  const toldOf = (key: string): string => descriptionOf(properties.get(key) ?? {})
  // The `comment` of a comment is no identifier, where the parameter is one.
  const isText = (key: string): boolean =>
    singulars.some((each) => isSameName(each, key)) && tellsId.test(description) && !tellsId.test(toldOf(key))
  // The parameter has the description of `id`, or is "not the `ticket_id`", which is "the id you have defined".
  const isTold = (key: string): boolean =>
    toldOf(key) !== toldOf('id') &&
    ((description !== '' && toldOf('id') === description) ||
      description.includes(`not the \`${key}\``) ||
      (/\byou (?:have )?defined\b/iu.test(toldOf(key)) && /\bgiven by\b/iu.test(description)))
  // "App ID of the allowed app to delete" is "the app ID of the allowed app" of the record.
  const phraseOf = (text: string): string => text.toLowerCase().replaceAll(/^the |\.$/gu, '')
  const whole = phraseOf(description)
  const isIn = (phrase: string): boolean => phrase.split(' ').length > 4 && phrase !== whole && whole.includes(phrase)
  const told = onlyOf(names.filter((key) => isIn(phraseOf(toldOf(key)))))
  if (told !== undefined) return [told]
  const same = findNamed(names, name)
  // A `code` that must be a UUID is the only id that is one.
  const uuid = isUuid(schema)
    ? onlyOf(names.filter((key) => isIdName(key) && isUuid(properties.get(key) ?? {})))
    : undefined
  if (same !== undefined && uuid !== undefined && !isIdName(same) && !isUuid(properties.get(same) ?? {})) return [uuid]
  const isOther = same !== undefined && names.includes('id') && (isText(same) || isTold(same))
  const named = (isIdOrOther(name) || isOther ? findNamed(names, 'id') : undefined) ?? same
  const account = /^user_?name$/iu.test(name) ? findNamed(sameType, 'login') : undefined
  const found = named ?? account ?? findRelated(sameType, name, collection) ?? findRelated(names, name, collection)
  if (found !== undefined) return [found]
  const nested = findNested(name, collection, properties)
  if (nested) return nested
  const isUnique = (key: string): boolean => required.has(key) || isToldUnique(properties.get(key) ?? {})
  const usual = ['uuid', 'slug', 'key', 'name', ...singulars.map((singular) => `${singular} id`)]
  // A number or a UUID is no name.
  const mayBe = (key: string): boolean =>
    isUuid(schema) ? isUuid(properties.get(key) ?? {}) : sameType.includes(key) || comparedType(schema) === undefined
  const possible = names.filter((key) => !/^(?:slug|key|name)$/iu.test(key) || mayBe(key))
  const only = onlyOf(possible.filter((key) => usual.some((each) => isSameName(each, key)) && isUnique(key)))
  return only === undefined ? undefined : [only]
}

/** Returns the text before the id in the name of a resource: "Format: memos/{memo}" (AIP-122). Empty: there is none. */
export function idPrefixOf(schema: JsonObject, collection: string): string {
  const [, named = ''] = /\bformat: ?[`"']?([\w-]+)\/\{\w+\}(?!\/)/iu.exec(descriptionOf(schema)) ?? []
  return named === collection ? `${named}/` : ''
}

const tellsId = /\b(?:ids?|identifiers?)\b/iu

const isUuid = (schema: JsonObject): boolean => findKeyword(schema, 'format') === 'uuid'

const isToldUnique = (schema: JsonObject): boolean => /\buniqu/iu.test(descriptionOf(schema))

/** Finds the id of records that no path names: a property with a usual name. */
function findUnaddressedId(properties: PropertySchemas): readonly string[] | undefined {
  const usual = ['id', 'gid', 'sid', 'uuid', '_id'].find((name) => isIdType(properties.get(name) ?? {}))
  return usual === undefined ? undefined : [usual]
}

const findNamed = (names: readonly string[], name: string): string | undefined =>
  names.find((property) => property === name) ?? names.find((property) => isSameName(property, name))

function findRelated(names: readonly string[], parameter: string, collection: string): string | undefined {
  const named = (name: string): string | undefined => findNamed(names, name)
  const words = wordsOf(parameter)
  const singulars = singularsOf(collection)
  // `user_id` of a record that has an `id` is that of another record, also where the parameter is `external_user_id`.
  const hasId = named('id') !== undefined
  const lastWords = words.slice(1).flatMap((_word, at) => {
    const last = words.slice(at + 1)
    return hasId && last.length > 1 && last.at(-1) === 'id' ? [] : [last.join(' ')]
  })
  const isNoun = (name: string): boolean => isSameName(name, parameter) || wordsOf(name).at(-1) === words.join(' ')
  const isId = isIdName(parameter) || singulars.some(isNoun)
  const wanted = [
    ...lastWords,
    ...singulars.map((name) => words.filter((word) => word !== name.toLowerCase()).join(' ')),
    ...(isId ? ['id'] : []),
    ...singulars.flatMap((name) => [`${name} ${parameter}`, ...(isId ? [`id ${name}`] : [])]),
    ...(isId ? [`${parameter} id`] : []),
  ]
  return wanted.map(named).find((property) => property !== undefined) ?? names.find((name) => name === '_id')
}

/** Finds the name in `metadata`, the id in an object that has the collection's name, or that of `user` for `user_id`. */
function findNested(parameter: string, collection: string, properties: PropertySchemas): readonly string[] | undefined {
  const [last = '', ...before] = wordsOf(parameter).toReversed()
  const owner = before.toReversed().join(' ')
  for (const [key, schema] of properties) {
    const inner = [...propertiesOf(schema)].filter(([, each]) => isIdType(each)).map(([name]) => name)
    const isReference = singularsOf(collection).some((name) => isSameName(key, `${name} reference`))
    const isOwner = owner !== '' && isSameName(key, owner)
    const wanted = key === 'metadata' ? parameter : isReference ? 'id' : isOwner ? last : undefined
    const name = wanted === undefined ? undefined : findNamed(inner, wanted)
    if (name !== undefined) return [key, name]
  }
  return undefined
}

export const isIdName = (parameter: string): boolean =>
  /(?:id|sid|gid|uuid)$/iu.test(parameter) || isIdOrOther(parameter)

/** Tells whether a parameter is an id or something else, such as `id_or_name`. */
const isIdOrOther = (parameter: string): boolean => /\bid or\b|\bor id\b/u.test(inWords(parameter))

const isIdType = (schema: JsonObject): boolean => {
  const type = scalarType(schema)
  return type !== undefined && type !== 'boolean'
}

/** Tells whether a property may hold the value of a parameter. Only a parameter with the name of an id is compared as text with another type. */
export const mayHoldId = (property: JsonObject, name: string, schema: JsonObject): boolean => {
  const type = comparedType(schema)
  return isIdType(property) && (type === undefined || isIdName(name) || comparedType(property) === type)
}

export interface Alias {
  readonly name: string
  /** The text before the value of the property. */
  readonly prefix: string
}

/** Finds the aliases of a parameter: `id_or_slug`, or a description such as "ID or alias", "The name of the plant", "or its `key`, prefixed with `key_`". */
export function aliasesOf(
  { description = '', name, schema }: IdParameter,
  properties: PropertySchemas,
  idProperty: string,
): readonly Alias[] {
  const words = wordsOf(name)
  const or = words.lastIndexOf('or')
  const text = `${description} ${descriptionOf(schema)}`
  const [, said = ''] =
    /\b(?:or|also be|alternatively,? [^.`]*) (?:the |its |their |an? )?[`*]*(\w+)/iu.exec(text) ?? []
  const [, prefix = ''] = /\bprefixed with [`"']([^`"']+)[`"']/iu.exec(text) ?? []
  // "For code use prefix `code-`".
  const prefixes = new Map(
    [...text.matchAll(/\bfor (\w+),? use (?:the )?prefix [`"']([^`"']+)[`"']/giu)].map(([, of = '', its = '']) => [
      inWords(of),
      its,
    ]),
  )
  const [, only = ''] = /^\s*(?:the )?(\w+) of (?:the|an?) \w+\.?\s*$/iu.exec(text) ?? []
  const told = /\bor\b/u.test(text)
    ? (text.match(/\b(?:email|slug|login|username|alias|handle|permalink)\b/giu) ?? [])
    : []
  const all =
    or === -1 ? [said, only, ...told, ...prefixes.keys()] : [words.slice(or + 1).join(' '), words[or - 1] ?? '']
  const uuid = all.includes('id') && !properties.has('id') ? ['uuid'] : []
  const named = [...all, ...uuid].filter((each) => each !== '')
  // The parameter has the pattern and the example of a `uid`, and not those of the `id`.
  const isLike = (key: string): boolean =>
    ['pattern', 'example'].every((each) => {
      const own = findKeyword(schema, each)
      return own !== undefined && own === findKeyword(properties.get(key) ?? {}, each)
    })
  const found = [...properties.keys()].filter(
    (key) =>
      key !== idProperty &&
      (named.some((each) => isSameName(key, each)) || (isLike(key) && !isLike(idProperty))) &&
      isIdType(properties.get(key) ?? {}),
  )
  return found.map((key) => ({ name: key, prefix: prefixes.get(inWords(key)) ?? prefix }))
}

/** The place of the id in a record: a property, or one inside of an object. `idPrefix` is the text before it there. */
interface IdPlace {
  readonly idPath: readonly string[]
  readonly idPrefix: string
}

export function idOf({ idPath, idPrefix }: IdPlace, record: JsonObject): unknown {
  const value = valueAt(record, idPath)
  return typeof value === 'string' && value.startsWith(idPrefix) ? value.slice(idPrefix.length) : value
}

export function withId({ idPath: [name = '', inner], idPrefix }: IdPlace, record: JsonObject, id: unknown): JsonObject {
  const value = idPrefix === '' ? id : `${idPrefix}${String(id)}`
  return { ...record, [name]: inner === undefined ? value : { ...objectAt(record, name), [inner]: value } }
}
