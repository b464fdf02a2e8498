import { isDeepStrictEqual } from 'node:util'

import { itemSchema, possibleSchemas, propertyNames, propertySchema } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, mapValues, objectOf } from '../documents/object.js'
import { fromPointer } from '../documents/pointer.js'
import { readDocument } from '../resources/document/read.js'
import { toText } from '../resources/document/write.js'
import { checkRecord } from '../resources/infer/record-model.js'
import { wordsOf } from '../resources/names.js'
import type { Collection, Resources } from '../resources/resources.js'
import { safeLines } from '../safe-text.js'
import type { PulledState } from './pull.js'
import { groupLeftOut } from './pulled-records.js'
import { RunError } from './service-client.js'
import { createStandIns, type StandIns } from './stand-ins.js'

/**
 * Creates the text of a valid fixture, with one record in each line.
 * @param allowsIncomplete - True to write a state that seems to be incomplete. It then has no `$access`.
 * @param keep - The values that stay, of a fixture whose other values are replaced by stand-ins. Default: all.
 * @returns No text if the state seems to be incomplete, and that is not allowed. @throws {RunError} The state is not a valid fixture.
 */
export function createFixtureText(
  pulled: PulledState,
  resources: Resources,
  allowsIncomplete: boolean,
  keep?: readonly string[],
): { readonly text: string | undefined; readonly notes: readonly string[] } {
  const { cut, dropped, leftOut } = pulled
  const isSanitised = keep !== undefined
  const what = 'Dropped properties that the contract does not have, or whose value it refuses'
  const notes = [
    ...pulled.notes,
    // A sanitised fixture must not reveal names, keys and ids, so its notes do not contain them.
    ...(dropped.length > 0 ? [`${what}: ${isSanitised ? dropped.length : dropped.join(', ')}.`] : []),
    ...groupLeftOut(leftOut).map(({ collection, reason, records }) =>
      isSanitised
        ? `Left out of ${collection}: records that have no id or break the contract.`
        : `Left out of ${collection}: ${records}, because ${reason}.`,
    ),
    ...cut,
  ]
  if (cut.length > 0) {
    notes.push('Because the listings seem to be cut, no $access is inferred.')
    if (!allowsIncomplete)
      return { text: undefined, notes: [...notes, 'Nothing is written. Use --partial to write the incomplete state.'] }
  }
  const document = cut.length > 0 ? withoutAccess(pulled.document) : pulled.document
  const sanitised = isSanitised ? sanitise(document, resources, keep) : { document, notes: [] }
  const read = readDocument(sanitised.document, resources)
  if ('problems' in read) {
    const [{ message, path } = { message: '', path: [] }] = read.problems
    throw new RunError(`The pulled state is not a valid fixture: ${path.join('.')} ${message}.`)
  }
  return { text: safeLines(toText(read.state)), notes: [...notes, ...sanitised.notes] }
}

const withoutAccess = (document: JsonObject): JsonObject =>
  mapValues(document, (value) =>
    Array.isArray(value) ? (value as JsonObject[]).map(({ $access: _access, ...record }) => record) : value,
  )

const maxTries = 20

/** Values next to a fixture that get the same stand-ins. */
export interface OtherValues {
  /** Each with its group. */
  readonly bodies: readonly (readonly [value: unknown, group: string])[]
  readonly fixed: ReadonlySet<unknown>
}

/**
 * Replaces the values of a fixture by stand-ins: all except booleans, nulls, and values of `enum` and `const`.
 * @param keep - The values that stay: names of properties, or JSON Pointers into the fixture, in which `*` is any record, item or key. A key that a
 * pointer names stays too.
 * @param others - If they are given, stand-ins are numbered by first appearance in a group: the same in each run.
 * @returns With notes on records that are left out, and on exceptions that match nothing; and a function that replaces all texts in a value, and
 * the numbers that records have.
 */
export function sanitise(document: JsonObject, resources: Resources, keep: readonly string[], others?: OtherValues) {
  const { collections } = resources
  const exceptions = readExceptions(keep)
  const walks = (replacer: StandIns) =>
    collections.flatMap((collection) =>
      listOf(document[collection.name]).map((record, index) =>
        walkRecord(collection, objectOf(record), index, exceptions, replacer),
      ),
    )
  const groups = new Map<string, number>()
  const names = new Map<string | number, string>()
  const add = <T extends string | number>(value: T, group: string): T => {
    const count = (groups.get(group) ?? 0) + 1
    if (names.has(value)) return value
    groups.set(group, count)
    names.set(value, `${group} ${count}`)
    return value
  }
  const collect = <T extends string | number>(value: T): T => add(value, '')
  for (const walk of walks({ text: collect, number: collect })) walk.replaced(0)
  const addTexts = (value: unknown, group: string): void => {
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) addTexts(inner, group)
    else if (typeof value === 'string' && !others?.fixed.has(value)) add(value, group)
  }
  for (const [value, group] of others?.bodies ?? []) addTexts(value, group)
  const standIns = createStandIns(new Set(names.keys()), others && names)
  // The schema of an id has more rules than those of the references to it, so it comes first.
  for (const walk of walks(standIns)) walk.replaceId()
  const notes: string[] = []
  const replaced = new Map(collections.map(({ name }) => [name, [] as JsonObject[]]))
  for (const walk of walks(standIns)) {
    const [name = '', index] = walk.path
    const record = walk.valid()
    if (record) replaced.get(name)?.push(record)
    else notes.push(`Record ${Number(index) + 1} of ${name} is left out: no stand-in is valid by the contract.`)
  }
  notes.push(...Array.from(exceptions.unused, (text) => `--keep ${text} names nothing that would be replaced.`))
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [String(replace(key)), replace(inner)]))
    const isNamed = (typeof value === 'string' || typeof value === 'number') && names.has(value)
    if (!isNamed || others?.fixed.has(value)) return value
    return typeof value === 'string' ? standIns.text(value, {}, 0) : standIns.number(value, {}, 0)
  }
  const sanitised: JsonObject = { ...document, ...Object.fromEntries(replaced) }
  return { document: sanitised, notes, replace }
}

function walkRecord({ model, name }: Collection, whole: JsonObject, index: number, except: Exceptions, by: StandIns) {
  const { idProperty, parents, recordModel } = model
  const { properties, schemas } = recordModel
  const path: readonly string[] = [name, String(index)]
  const idNames = [idProperty, ...parents.flatMap(({ property }) => property ?? [])]
  const valueOf = (value: unknown, schema: unknown, at: readonly string[], variant: number): unknown => {
    const isContainer = typeof value === 'object' && value !== null
    if (!isContainer && typeof value !== 'string' && typeof value !== 'number') return value
    if (except.keepsValue(at) || isFixed(value, schema)) return value
    if (typeof value === 'string') return by.text(value, schema, variant)
    if (typeof value === 'number') return by.number(value, schema, variant)
    if (Array.isArray(value))
      return value.map((item, place) => valueOf(item, itemSchema(schema, place), [...at, String(place)], variant))
    const names = new Set(propertyNames(schema))
    const entries = Object.entries(value as JsonObject).map(([key, inner]) => {
      const inside = [...at, key]
      const isKept = names.has(key) || except.keepsKey(inside)
      const isId = (at === path && idNames.includes(key)) || namesId(key)
      const replacedKey = isKept ? key : by.text(key, keySchema(schema, key), variant)
      return [replacedKey, valueOf(inner, propertySchema(schema, key), inside, isId ? 0 : variant)] as const
    })
    return Object.fromEntries(entries)
  }
  /** @param variant - Another variant gives other stand-ins, except for ids. */
  const replaced = (variant: number): JsonObject => {
    const { $access, $parents, ...record } = whole
    const ids = Object.fromEntries(idNames.map((each) => [each, properties.get(each) ?? {}]))
    const schema = { allOf: [{ properties: { ...Object.fromEntries(properties), ...ids } }, ...schemas] }
    const inParents = { properties: mapValues(objectOf($parents), () => ({})) }
    return {
      ...(valueOf(record, schema, path, variant) as JsonObject),
      ...($parents === undefined ? {} : { $parents: valueOf($parents, inParents, [...path, '$parents'], 0) }),
      ...($access === undefined ? {} : { $access }),
    }
  }
  /** Returns the record with stand-ins that are valid by the contract. Undefined: none were found. */
  const valid = (): JsonObject | undefined => {
    for (let variant = 0; variant < maxTries; variant++) {
      const made = replaced(variant)
      const { $access: _access, $parents: _parents, ...record } = made
      if (checkRecord(model, record).length === 0) return made
    }
    return undefined
  }
  const replaceId = () => valueOf(whole[idProperty], properties.get(idProperty) ?? {}, [...path, idProperty], 0)
  return { path, replaceId, replaced, valid }
}

/** Tells whether the name of a property is that of an id, or of a list of ids. Equal ids are equal in all records. */
const namesId = (name: string): boolean => /^(?:id|gid|uuid)s?$/u.test(wordsOf(name).at(-1) ?? '')

/** Tells whether the contract lists the value: it says nothing about a person. */
const isFixed = (value: unknown, schema: unknown): boolean =>
  possibleSchemas(schema).some(
    (part) =>
      ('const' in part && isDeepStrictEqual(part['const'], value)) ||
      listOf(part['enum']).some((each) => isDeepStrictEqual(each, value)),
  )

function keySchema(schema: unknown, key: string): JsonObject {
  const rules = possibleSchemas(schema).flatMap(({ patternProperties, propertyNames: own }) => {
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : []
    return [own, ...patterns.filter((pattern) => new RegExp(pattern, 'u').test(key)).map((pattern) => ({ pattern }))]
  })
  return { allOf: rules }
}

type Exceptions = ReturnType<typeof readExceptions>

function readExceptions(texts: readonly string[]) {
  const unused = new Set(texts)
  const parsed = texts.map((text) => ({ text, pointer: text.startsWith('/') ? fromPointer(`#${text}`) : undefined }))
  const isNamed = (path: readonly string[], isMatch: (pointer: readonly string[]) => boolean): boolean => {
    const found = parsed.find(({ pointer, text }) => {
      const isOnPath = (part: string, at: number): boolean => pointer?.[at] === '*' || pointer?.[at] === part
      return pointer ? isMatch(pointer) && path.every(isOnPath) : text === path.at(-1)
    })
    if (found) unused.delete(found.text)
    return found !== undefined
  }
  return {
    unused,
    keepsValue: (path: readonly string[]): boolean => isNamed(path, ({ length }) => length === path.length),
    keepsKey: (path: readonly string[]): boolean =>
      isNamed(path, (pointer) => pointer[path.length - 1] === path.at(-1)),
  }
}
