/** Chooses how the double creates the ids of a collection: each id comes from a number that is never used twice. */
import { charactersOf } from '../contract/matching-text.js'
import { descriptionOf, findKeyword, scalarType } from '../contract/schemas/read-schema.js'
import { type JsonObject, mapProperties, textOf } from '../documents/object.js'

export type Id = string | number

/** Tells whether a value may be an id. An empty text is none: no path could name it. */
export const isId = (value: unknown): value is Id =>
  (typeof value === 'string' && value !== '') || typeof value === 'number'

/** Puts the ids of a record in place of those of an example in the URLs and the ids of a value. */
export function withIdsOf(record: JsonObject, example: JsonObject, value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'string') return value
  const ids = Object.entries(example).flatMap(([name, old]) => {
    const isOther =
      /id$/iu.test(name) && typeof old === 'string' && old !== '' && isId(record[name]) && record[name] !== old
    return isOther ? [[old, String(record[name])] as const] : []
  })
  if (ids.length === 0) return value
  // The record's own id comes first.
  const known = new Map(ids.toReversed())
  const replace = (inner: unknown, name = ''): unknown => {
    if (typeof inner !== 'string') return mapProperties(inner, replace)
    if (/id$/iu.test(name)) return known.get(inner) ?? inner
    if (!inner.includes('/')) return inner
    // The last one may end in `.json`.
    const inPath = (segment: string): string => {
      const [, stem = '', suffix = ''] = /^(.*?)(\.[a-z]+)?$/u.exec(segment) ?? []
      const [id, end] = known.has(segment) ? [known.get(segment), ''] : [known.get(stem), suffix]
      return id === undefined ? segment : encodeURIComponent(id) + end
    }
    return inner.split('/').map(inPath).join('/')
  }
  return replace(value)
}

export interface IdScheme {
  /** True if an id is the schema's name and the position. */
  readonly isNameAndPosition: boolean
  /** Creates the id of a number from 1. Undefined: no more ids exist. */
  idOf(number: number): Id | undefined
  /** Returns the number in an id, so that the id is not created again. 0: none. */
  numberOf(id: Id): number
}

/** The numbers with which a scheme is tried. */
const probes = [1, 2, 12, 345]

/**
 * Chooses the first scheme whose ids are valid. If the path parameter allows only a few ids (1 to 10), further ids are valid in the record only. A
 * record with such an id is listed, and a request that names it is refused, as the contract requires.
 *
 * @param parameter - The schema of the path parameter, whose pattern may say what that of the record does not.
 * @param name - The first part of plain ids, in kebab-case.
 * @param isFit - Tells whether an id is valid in the record.
 * @param isAddressable - Tells whether an id is valid in the path parameter.
 * @returns Undefined if no scheme creates such ids.
 */
export function chooseIdScheme(
  schema: JsonObject,
  parameter: JsonObject,
  name: string,
  isFit: (id: Id) => boolean,
  isAddressable: (id: Id) => boolean,
): IdScheme | undefined {
  const holds = (test: (id: Id) => boolean, { idOf }: IdScheme, ...numbers: readonly number[]): boolean =>
    numbers.map(idOf).every((id) => id !== undefined && test(id))
  const fitting = candidates(schema, parameter, name).filter((scheme) => holds(isFit, scheme, ...probes))
  return (
    fitting.find((scheme) => holds(isAddressable, scheme, ...probes)) ??
    fitting.find((scheme) => holds(isAddressable, scheme, 1))
  )
}

/** A UUID of any version. */
export const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

/** Tells how an id is made: "If no ID is set, a UUID4 will be generated". */
const toldUuid = /\buuid(?:v?4)?\b[^.]*\bgenerated\b/iu

function candidates(schema: JsonObject, parameter: JsonObject, name: string): readonly IdScheme[] {
  const type = scalarType(schema)
  if (type === 'integer' || type === 'number') {
    const minimum = findKeyword(schema, 'minimum')
    const offset = typeof minimum === 'number' && minimum > 1 ? Math.ceil(minimum) - 1 : 0
    return [
      createScheme(
        (number) => number + offset,
        (id) => (typeof id === 'number' ? Math.floor(id) - offset : 0),
      ),
    ]
  }
  if (type !== 'string') return []
  const uuid = createScheme(uuidOf, (id) => Number(/^0{8}-0{4}-4000-8000-(\d{12})$/u.exec(String(id))?.[1] ?? 0))
  if (findKeyword(schema, 'format') === 'uuid') return [uuid]
  // One operation may demand what another one only shows.
  const isShownAsUuid = [schema, parameter].some(
    (each) => uuidText.test(textOf(findKeyword(each, 'example'))) || toldUuid.test(descriptionOf(each)),
  )
  const patterned = [schema, parameter].flatMap((each) => numberingOf(textOf(findKeyword(each, 'pattern'))) ?? [])
  const suffix = new RegExp(`^${name}-([1-9]\\d{0,14})$`, 'u')
  return [
    ...(isShownAsUuid ? [uuid] : []),
    createScheme(
      (number) => `${name}-${number}`,
      (id) => Number(suffix.exec(String(id))?.[1] ?? 0),
      true,
    ),
    createScheme(String, (id) => Number(/^[1-9]\d{0,14}$/u.exec(String(id))?.[0] ?? 0)),
    uuid,
    // Their numbers cannot be read back. An id that is in use is skipped.
    ...patterned.map((idOf) => createScheme(idOf, () => 0)),
  ]
}

/** Returns the UUID of a number from 0. */
export const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const createScheme = (idOf: IdScheme['idOf'], numberOf: IdScheme['numberOf'], isNameAndPosition = false): IdScheme => ({
  idOf,
  isNameAndPosition,
  numberOf: (id) => Math.max(0, numberOf(id)),
})

/** Characters of ids, in the order in which they count. */
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.~'.split('')
/** The length of a part without an upper bound, such as `[a-z]+`. */
const openLength = 8

/** Numbers the texts that match a pattern, such as `^ord_[a-z0-9]{8}$`. @returns Undefined if it is not anchored, or cannot be read. */
export function numberingOf(pattern: string): ((number: number) => string | undefined) | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined
  const places = charactersOf(pattern, openLength)?.map((choices) => {
    const counted = alphabet.filter((character) => choices.includes(character))
    return counted.length > 0 ? counted : choices.slice(0, 1)
  })
  if (!places || places.some(({ length }) => length === 0)) return undefined
  return (number) => {
    let rest = number
    const characters = places.toReversed().map((choices) => {
      const character = choices[rest % choices.length] ?? ''
      rest = Math.floor(rest / choices.length)
      return character
    })
    return rest === 0 ? characters.toReversed().join('') : undefined
  }
}

/** Creates the next id that no record has or had. @returns Undefined if there is none. */
export function nextId(
  ids: IdScheme,
  lastNumber: number,
  isUsed: (id: Id) => boolean,
): { readonly id: Id; readonly number: number } | undefined {
  for (let number = lastNumber + 1; ; number += 1) {
    const id = ids.idOf(number)
    if (id === undefined) return undefined
    if (!isUsed(id)) return { id, number }
  }
}
