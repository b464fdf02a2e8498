/** Converts states to the frozen documents that handlers of users get. Reads a document that they return like a fixture. */
import { isObject, type JsonObject, mapValues } from '../../documents/object.js'
import { toPointer } from '../../documents/pointer.js'
import { onceForObject } from '../../once.js'
import { readDocument } from '../document/read.js'
import { collectionsOf, headOf } from '../document/write.js'
import { nextId } from '../ids.js'
import { idOf, withId } from '../infer/id-property.js'
import { deepFreeze } from '../json.js'
import { entriesOf, type Entry, entryDocument, findEntry, type Records, withRemoved } from '../records/records.js'
import { recordsOf, type State } from '../records/state.js'
import type { Resources } from '../resources.js'

const states = new WeakMap<object, State>()
/** The records of these documents. They are valid, and cannot change. */
const known = new WeakSet<object>()

/** Returns a state as a frozen document. Parts that are the same in two states are the same object in both documents. */
export const documentOf = onceForObject((state: State): JsonObject => {
  const head = headOf(state).map(([key, value]) => [key, deepFreeze(value)] as const)
  const made = Object.freeze(Object.fromEntries<unknown>([...head, ...collectionsOf(state, recordsIn)]))
  states.set(made, state)
  return made
})

const recordsIn = onceForObject((records: Records) => Object.freeze([...entriesOf(records)].map(knownRecord)))

const knownRecord = onceForObject((entry: Entry): JsonObject => {
  const made = deepFreeze(entryDocument(entry))
  known.add(made)
  return made
})

/**
 * Copies the document that a handler returned: it may have getters, or be changed later. Parts of the previous state's document stay as they
 * are, and new records get ids.
 *
 * @throws What its getters or `toJSON` throw, or a TypeError if a value is not JSON.
 */
export function copyDocument(document: unknown, previous: State, resources: Resources): unknown {
  if (!isObject(document) || states.has(document)) return document
  const before = documentOf(previous)
  return mapValues(document, (value, key) =>
    value === before[key] ? value : copyCollection(key, value, previous, resources),
  )
}

/** Copies a value that may not be JSON. Gives ids to new records of a collection. */
function copyCollection(key: string, value: unknown, previous: State, { collections }: Resources): unknown {
  const copy = (item: unknown): unknown => JSON.parse(JSON.stringify(item) ?? 'null')
  const collection = collections.find(({ name }) => name === key)
  if (!collection || !Array.isArray(value)) return copy(value)
  const ids = collection.model.ids()
  const items = value.map((item: unknown) => (isObject(item) && known.has(item) ? item : copy(item)))
  const taken = new Set(items.map((item) => (isObject(item) ? String(idOf(collection.model, item)) : '')))
  let number = recordsOf(previous, key).lastNumber
  return items.map((item) => {
    if (!ids || !isObject(item) || idOf(collection.model, item) !== undefined) return item
    const next = nextId(ids, number, (id) => taken.has(String(id)))
    if (!next) return item
    number = next.number
    return withId(collection.model, item, next.id)
  })
}

/**
 * Reads a copied document of a handler as the state that follows another one. Does not read unchanged collections again.
 *
 * @param document - The result of `copyDocument`.
 * @returns The state, or the errors of the document as clauses.
 */
export function stateOf(document: unknown, previous: State, resources: Resources): State | readonly string[] {
  if (!isObject(document)) return ['it must be an object']
  const same = states.get(document)
  if (same) return same
  const before = documentOf(previous)
  const isSame = (key: string): boolean => document[key] === before[key]
  const names = resources.collections.map(({ name }) => name)
  // Records name callers, so other callers can make unchanged records invalid.
  const unchanged = isSame('$callers') ? names.filter((name) => Object.hasOwn(document, name) && isSame(name)) : []
  const isUnknown = Object.keys(document).some((key) => !key.startsWith('$') && !names.includes(key))
  const kept = new Set(isUnknown ? [] : unchanged)
  const entries = Object.entries(document).filter(([key]) => !kept.has(key) && key !== '$lastIds')
  const read = readDocument(Object.fromEntries(entries), {
    ...resources,
    collections: resources.collections.filter(({ name }) => !kept.has(name)),
  })
  if ('problems' in read)
    return read.problems.map(({ hint, message, path }) => `${toPointer(path)} ${message}, ${hint}`)
  return {
    ...read.state,
    callers: isSame('$callers') ? previous.callers : read.state.callers,
    collections: new Map(
      names.map((name) => {
        const records = recordsOf(previous, name)
        return [name, kept.has(name) ? records : afterwards(records, recordsOf(read.state, name))]
      }),
    ),
  }
}

/** Returns records that follow others: ids that the double has created are not created again. */
function afterwards(before: Records, records: Records): Records {
  const lastNumber = Math.max(before.lastNumber, records.lastNumber)
  const gone = [...entriesOf(before)].filter(({ key }) => !findEntry(records, key))
  return {
    ...records,
    lastNumber,
    isNumberImplied: records.isNumberImplied && lastNumber === records.lastNumber,
    removed: withRemoved(before.removed, gone),
  }
}
