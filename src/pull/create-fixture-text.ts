import { isDeepStrictEqual } from 'node:util'

import { itemSchema, possibleSchemas, propertyNames, propertySchema } from '../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, objectOf } from '../documents/object.js'
import { fromPointer } from '../documents/pointer.js'
import { readDocument } from '../resources/document/read.js'
import { toText } from '../resources/document/write.js'
import { checkRecord } from '../resources/infer/record-model.js'
import { wordsOf } from '../resources/names.js'
import type { Collection, Resources } from '../resources/resources.js'
import { safeLines } from '../safe-text.js'
import type { PulledState } from './pull.js'
import { RunError } from './run-limits.js'
import { type Replacer, StandIns } from './stand-ins.js'

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
  const notes = [
    ...pulled.notes,
    // A sanitised fixture must not reveal names, keys and ids, so its notes do not contain them.
    ...(dropped.length > 0
      ? [`Dropped properties that the contract does not have: ${isSanitised ? dropped.length : dropped.join(', ')}.`]
      : []),
    ...leftOut.map(({ collection, id, reason }) =>
      isSanitised
        ? `Left out of ${collection}: a record that has no id or breaks the contract.`
        : `Left out of ${collection}: ${id ?? 'a record without an id'}, because ${reason}.`,
    ),
    ...cut,
  ]
  if (cut.length > 0) {
    notes.push('Because the listings seem to be cut, no $access is inferred.')
    if (!allowsIncomplete)
      return { text: undefined, notes: [...notes, 'Nothing is written. Use --partial to write the incomplete state.'] }
  }
  const document = cut.length > 0 ? withoutAccess(pulled.document) : pulled.document
  const sanitised = keep ? sanitise(document, resources, keep) : { document, notes: [] }
  const read = readDocument(sanitised.document, resources)
  if ('problems' in read) {
    const [problem] = read.problems
    throw new RunError(
      `The pulled state is not a valid fixture: ${problem?.path.join('.') ?? ''} ${problem?.message ?? ''}.`,
    )
  }
  return { text: safeLines(toText(read.state)), notes: [...notes, ...sanitised.notes] }
}

/** Returns a document whose records belong to every caller. */
const withoutAccess = (document: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(document).map(([key, value]) => [
      key,
      Array.isArray(value) ? (value as JsonObject[]).map(({ $access: _access, ...record }) => record) : value,
    ]),
  )

/** The most tries to find stand-ins that are valid by the contract. */
const maxTries = 20

export interface Sanitised {
  readonly document: JsonObject
  /** On records that are left out, and on exceptions that match nothing, in sentences. */
  readonly notes: readonly string[]
  /** Replaces the values of a body. Numbers that no record has stay. @param isError - True if its keys and all its numbers stay. */
  replace(value: unknown, schema: unknown, isError?: boolean): unknown
  /** Replaces a text that is a value of a record or of a body. */
  text(text: string): string
  /** Replaces the values of another state of the same collections. */
  copy(state: JsonObject): JsonObject
}

/**
 * Replaces the values of a fixture by stand-ins: all except booleans, nulls, and values of `enum` and `const`.
 *
 * @param keep - The values that stay: names of properties, or JSON Pointers into the fixture, in which `*` is any record, item or key. A key
 * that a pointer names stays too. @param bodies - Values with their schemas and a group, which get the same stand-ins. These are then numbered by
 * first appearance in a group, so that they are the same in each run.
 */
export function sanitise(
  document: JsonObject,
  { collections }: Resources,
  keep: readonly string[],
  bodies?: readonly (readonly [value: unknown, schema: unknown, group: string])[],
): Sanitised {
  const exceptions = new Exceptions(keep)
  const walksOf = (state: JsonObject, replacer: Replacer): readonly Walked[] =>
    collections.flatMap((collection) =>
      listOf(state[collection.name]).map((record, index) => ({
        record: record as JsonObject,
        index,
        collection,
        walk: new RecordWalk(collection, index, exceptions, replacer),
      })),
    )
  const values = new Set<string | number>()
  const names = new Map<string | number, string>()
  const counts = new Map<string, number>()
  let group = ''
  const collect = <T extends string | number>(value: T): T => {
    if (!values.has(value)) {
      const count = counts.get(group) ?? 0
      counts.set(group, count + 1)
      names.set(value, `${group} ${count}`)
    }
    values.add(value)
    return value
  }
  const collector: Replacer = { text: collect, number: collect }
  for (const { record, walk } of walksOf(document, collector)) walk.record(record, 0)
  const inRecords = new Set(values)
  const inBodies = {
    exceptions,
    keepsUnknown: true,
    replacer: { ...collector, number: (value: number): number => value },
  }
  for (const [value, schema, its] of bodies ?? []) {
    group = its
    replaceValues(value, schema, [], 0, inBodies)
  }
  const standIns = new StandIns(values, bodies && names)
  const walks = walksOf(document, standIns)
  // The schema of an id has more rules than those of the references to it, so it comes first.
  for (const { record, walk } of walks) walk.id(record)
  const notes: string[] = []
  const replaceAll = (walked: readonly Walked[]): JsonObject => {
    const replaced = new Map(walked.map(({ collection }) => [collection.name, new Array<JsonObject>()]))
    for (const { collection, index, record, walk } of walked) {
      const found = replaceRecord(record, walk)
      if (found) replaced.get(collection.name)?.push(found)
      else notes.push(`Record ${index + 1} of ${collection.name} is left out: no stand-in is valid by the contract.`)
    }
    return Object.fromEntries(replaced)
  }
  const sanitised = { ...document, ...replaceAll(walks) }
  notes.push(...Array.from(exceptions.unused, (text) => `--keep ${text} names nothing that would be replaced.`))
  const replacerOf = (isError: boolean): Replacer => ({
    text: (value, schema, variant) => standIns.text(value, schema, variant),
    number: (value, schema, variant) =>
      isError || !inRecords.has(value) ? value : standIns.number(value, schema, variant),
  })
  return {
    document: sanitised,
    notes,
    replace: (value, schema, isError = false) =>
      replaceValues(value, schema, [], 0, {
        exceptions,
        replacer: replacerOf(isError),
        keepsKeys: isError,
        keepsUnknown: true,
      }),
    text: (value) => (values.has(value) ? standIns.text(value, {}, 0) : value),
    copy: (state) => ({ ...state, ...replaceAll(walksOf(state, standIns)) }),
  }
}

interface Walked {
  readonly collection: Collection
  readonly index: number
  readonly record: JsonObject
  readonly walk: RecordWalk
}

function replaceRecord(record: JsonObject, walk: RecordWalk): JsonObject | undefined {
  for (let variant = 0; variant < maxTries; variant++) {
    const replaced = walk.record(record, variant)
    if (walk.isValid(replaced)) return replaced
  }
  return undefined
}

class RecordWalk {
  readonly #collection: Collection
  readonly #path: readonly string[]
  readonly #exceptions: Exceptions
  readonly #replacer: Replacer
  readonly #idNames: readonly string[]

  constructor(collection: Collection, index: number, exceptions: Exceptions, replacer: Replacer) {
    this.#collection = collection
    this.#path = [collection.name, String(index)]
    this.#exceptions = exceptions
    this.#replacer = replacer
    const { idProperty, parents } = collection.model
    this.#idNames = [idProperty, ...parents.flatMap(({ property }) => property ?? [])]
  }

  isValid({ $access: _access, $parents: _parents, ...record }: JsonObject): boolean {
    return checkRecord(this.#collection.model, record).length === 0
  }

  id(record: JsonObject): void {
    const { idProperty, recordModel } = this.#collection.model
    const schema = recordModel.properties.get(idProperty) ?? {}
    this.#value(record[idProperty], schema, [...this.#path, idProperty], 0)
  }

  /** @param variant - Another variant gives other stand-ins, except for ids. */
  record({ $access, $parents, ...record }: JsonObject, variant: number): JsonObject {
    const { properties, schemas } = this.#collection.model.recordModel
    const ids = Object.fromEntries(this.#idNames.map((name) => [name, properties.get(name) ?? {}]))
    const schema = { allOf: [{ properties: { ...Object.fromEntries(properties), ...ids } }, ...schemas] }
    const replaced = this.#value(record, schema, this.#path, variant) as JsonObject
    const inParents = { properties: Object.fromEntries(Object.keys(objectOf($parents)).map((name) => [name, {}])) }
    return {
      ...replaced,
      ...($parents === undefined ? {} : { $parents: this.#value($parents, inParents, [...this.#path, '$parents'], 0) }),
      ...($access === undefined ? {} : { $access }),
    }
  }

  #value(value: unknown, schema: unknown, path: readonly string[], variant: number): unknown {
    const rules = { exceptions: this.#exceptions, replacer: this.#replacer, root: this.#path, idNames: this.#idNames }
    return replaceValues(value, schema, path, variant, rules)
  }
}

interface ReplacingRules {
  readonly exceptions: Exceptions
  readonly replacer: Replacer
  /** True if keys of maps stay. Default false. */
  readonly keepsKeys?: boolean
  /** True if keys stay next to properties that the contract names. Default false. */
  readonly keepsUnknown?: boolean
  /** The path of the record, and the names of its ids. */
  readonly root?: readonly string[]
  readonly idNames?: readonly string[]
}

function replaceValues(
  value: unknown,
  schema: unknown,
  path: readonly string[],
  variant: number,
  rules: ReplacingRules,
): unknown {
  const { exceptions, idNames = [], keepsKeys = false, keepsUnknown = false, replacer, root } = rules
  const isContainer = typeof value === 'object' && value !== null
  if (!isContainer && typeof value !== 'string' && typeof value !== 'number') return value
  if (exceptions.keepsValue(path) || isFixed(value, schema)) return value
  if (typeof value === 'string') return replacer.text(value, schema, variant)
  if (typeof value === 'number') return replacer.number(value, schema, variant)
  if (Array.isArray(value))
    return value.map((item, at) => replaceValues(item, itemSchema(schema, at), [...path, String(at)], variant, rules))
  const names = new Set(propertyNames(schema))
  const entries = Object.entries(value as JsonObject).map(([name, inner]) => {
    const inside = [...path, name]
    const isKept = keepsKeys || (keepsUnknown && names.size > 0) || names.has(name) || exceptions.keepsKey(inside)
    const key = isKept ? name : replacer.text(name, keySchema(schema, name), variant)
    const isId = (path === root && idNames.includes(name)) || namesId(name)
    return [key, replaceValues(inner, propertySchema(schema, name), inside, isId ? 0 : variant, rules)] as const
  })
  return Object.fromEntries(entries)
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

class Exceptions {
  readonly unused: Set<string>
  readonly #names: ReadonlySet<string>
  readonly #pointers: readonly { readonly text: string; readonly segments: readonly string[] }[]

  constructor(texts: readonly string[]) {
    const isPointer = (text: string): boolean => text.startsWith('/')
    this.unused = new Set(texts)
    this.#names = new Set(texts.filter((text) => !isPointer(text)))
    this.#pointers = texts.filter(isPointer).map((text) => ({ text, segments: fromPointer(`#${text}`) ?? [] }))
  }

  keepsValue(path: readonly string[]): boolean {
    const name = path.at(-1) ?? ''
    if (this.#names.has(name)) this.unused.delete(name)
    return this.#names.has(name) || this.#find(path, ({ length }) => length === path.length)
  }

  keepsKey(path: readonly string[]): boolean {
    const at = path.length - 1
    return this.#names.has(path[at] ?? '') || this.#find(path, (segments) => segments[at] === path[at])
  }

  #find(path: readonly string[], isMatch: (segments: readonly string[]) => boolean): boolean {
    const found = this.#pointers.find(
      ({ segments }) =>
        isMatch(segments) && path.every((part, index) => segments[index] === '*' || segments[index] === part),
    )
    if (found) this.unused.delete(found.text)
    return found !== undefined
  }
}
