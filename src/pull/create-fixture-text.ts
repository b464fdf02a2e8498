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
import { StandIns } from './stand-ins.js'

/**
 * Creates the text of a valid fixture, with one record in each line.
 *
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

type Replacer = Pick<StandIns, 'number' | 'text'>

const maxTries = 20

/** Values next to a fixture that get the same stand-ins. */
export interface OtherValues {
  /** Each with its group. */
  readonly bodies: readonly (readonly [value: unknown, group: string])[]
  readonly fixed: ReadonlySet<unknown>
}

/**
 * Replaces the values of a fixture by stand-ins: all except booleans, nulls, and values of `enum` and `const`.
 *
 * @param keep - The values that stay: names of properties, or JSON Pointers into the fixture, in which `*` is any record, item or key. A key that a
 * pointer names stays too.
 * @param others - If they are given, stand-ins are numbered by first appearance in a group: the same in each run.
 * @returns With notes on records that are left out, and on exceptions that match nothing; and a function that replaces all texts in a value, and
 * the numbers that records have.
 */
export function sanitise(
  document: JsonObject,
  { collections }: Resources,
  keep: readonly string[],
  others?: OtherValues,
) {
  const exceptions = readExceptions(keep)
  const walks = (replacer: Replacer): readonly RecordWalk[] =>
    collections.flatMap((collection) =>
      listOf(document[collection.name]).map(
        (record, index) => new RecordWalk(collection, objectOf(record), index, exceptions, replacer),
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
  const standIns = new StandIns(new Set(names.keys()), others && names)
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

class RecordWalk {
  readonly path: readonly string[]
  readonly #model: Collection['model']
  readonly #record: JsonObject
  readonly #exceptions: Exceptions
  readonly #replacer: Replacer
  readonly #idNames: readonly string[]

  constructor({ model, name }: Collection, record: JsonObject, index: number, exceptions: Exceptions, by: Replacer) {
    this.path = [name, String(index)]
    this.#model = model
    this.#record = record
    this.#exceptions = exceptions
    this.#replacer = by
    this.#idNames = [model.idProperty, ...model.parents.flatMap(({ property }) => property ?? [])]
  }

  replaceId(): void {
    const { idProperty, recordModel } = this.#model
    const schema = recordModel.properties.get(idProperty) ?? {}
    this.#value(this.#record[idProperty], schema, [...this.path, idProperty], 0)
  }

  /** Returns the record with stand-ins that are valid by the contract. Undefined: none were found. */
  valid(): JsonObject | undefined {
    for (let variant = 0; variant < maxTries; variant++) {
      const replaced = this.replaced(variant)
      const { $access: _access, $parents: _parents, ...record } = replaced
      if (checkRecord(this.#model, record).length === 0) return replaced
    }
    return undefined
  }

  /** @param variant - Another variant gives other stand-ins, except for ids. */
  replaced(variant: number): JsonObject {
    const { $access, $parents, ...record } = this.#record
    const { properties, schemas } = this.#model.recordModel
    const ids = Object.fromEntries(this.#idNames.map((name) => [name, properties.get(name) ?? {}]))
    const schema = { allOf: [{ properties: { ...Object.fromEntries(properties), ...ids } }, ...schemas] }
    const replaced = this.#value(record, schema, this.path, variant) as JsonObject
    const inParents = { properties: mapValues(objectOf($parents), () => ({})) }
    const others =
      $parents === undefined ? {} : { $parents: this.#value($parents, inParents, [...this.path, '$parents'], 0) }
    return { ...replaced, ...others, ...($access === undefined ? {} : { $access }) }
  }

  #value(value: unknown, schema: unknown, path: readonly string[], variant: number): unknown {
    const isContainer = typeof value === 'object' && value !== null
    if (!isContainer && typeof value !== 'string' && typeof value !== 'number') return value
    if (this.#exceptions.keepsValue(path) || isFixed(value, schema)) return value
    if (typeof value === 'string') return this.#replacer.text(value, schema, variant)
    if (typeof value === 'number') return this.#replacer.number(value, schema, variant)
    if (Array.isArray(value))
      return value.map((item, index) => this.#value(item, itemSchema(schema, index), [...path, String(index)], variant))
    const names = new Set(propertyNames(schema))
    const entries = Object.entries(value as JsonObject).map(([name, inner]) => {
      const inside = [...path, name]
      const isKept = names.has(name) || this.#exceptions.keepsKey(inside)
      const key = isKept ? name : this.#replacer.text(name, keySchema(schema, name), variant)
      const isId = (path === this.path && this.#idNames.includes(name)) || namesId(name)
      return [key, this.#value(inner, propertySchema(schema, name), inside, isId ? 0 : variant)] as const
    })
    return Object.fromEntries(entries)
  }
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
  const names = new Set(texts.filter((text) => !text.startsWith('/')))
  const pointers = texts.filter((text) => !names.has(text))
  const parsed = pointers.map((text) => ({ text, segments: fromPointer(`#${text}`) ?? [] }))
  const unused = new Set(texts)
  const find = (path: readonly string[], isMatch: (segments: readonly string[]) => boolean): boolean => {
    const found = parsed.find(
      ({ segments }) =>
        isMatch(segments) && path.every((part, index) => segments[index] === '*' || segments[index] === part),
    )
    if (found) unused.delete(found.text)
    return found !== undefined
  }
  return {
    unused,
    keepsValue: (path: readonly string[]): boolean => {
      const name = path.at(-1) ?? ''
      if (names.has(name)) unused.delete(name)
      return names.has(name) || find(path, ({ length }) => length === path.length)
    },
    keepsKey: (path: readonly string[]): boolean => {
      const at = path.length - 1
      return names.has(path[at] ?? '') || find(path, (segments) => segments[at] === path[at])
    },
  }
}
