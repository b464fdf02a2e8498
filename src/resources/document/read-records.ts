/** Reads the records of a collection in a document, and a record alone. */
import { isObject, type JsonObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { suggest } from '../../nearest-name.js'
import { type IdScheme, isId, nextId } from '../ids.js'
import { idOf, withId } from '../infer/id-property.js'
import { entryKey, parentIn } from '../infer/parents.js'
import { checkRecord } from '../infer/record-model.js'
import { deepFreeze } from '../json.js'
import { createRecords, entriesOf, type NewEntry, outsideId, recordKeys, type Records } from '../records/records.js'
import type { State } from '../records/state.js'
import type { Collection } from '../resources.js'
import type { DocumentProblem, ReportProblem } from './document-problem.js'

export interface RecordsContext {
  readonly collection: Collection
  readonly callers: ReadonlySet<string>
  readonly lastNumber: number
  readonly isFull: () => boolean
  readonly report: ReportProblem
}

/** Reads records. A record without an id gets the id of its position. */
export function readRecords(value: unknown, context: RecordsContext): Records {
  const { collection, report } = context
  const { idPath, ids } = collection.model
  const scheme = collection.operations.has('create') ? ids() : undefined
  const idProperty = idPath.join('.')
  const isSingle = isRootSingleton(collection)
  if (isSingle ? Array.isArray(value) && value.length > 0 : !Array.isArray(value)) {
    const [what, hint] = isSingle ? ['an object', 'write {…}'] : ['an array', 'list its records; [] is none']
    report([collection.name], `${collection.name} must be ${what}`, hint)
    return createRecords([], 0, true, isSingle)
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const taken = new Set(list.map((item) => entryKey(isObject(item) ? idOf(collection.model, item) : undefined, [])))
  const holders = new Map<string, number>()
  const entries: NewEntry[] = []
  let highest = list.length
  for (const [position, item] of list.entries()) {
    if (context.isFull()) break
    const path = isSingle ? [collection.name] : [collection.name, position]
    if (!isObject(item)) {
      report(path, 'a record must be an object', 'write {…}')
      continue
    }
    const given = idOf(collection.model, item)
    const isSingleton = collection.model.kind === 'singleton'
    const id = isSingleton ? '' : given === undefined ? makeId(ids(), position + 1, taken, list.length) : given
    if (id === undefined) {
      const hint = `the double cannot create an ${idProperty} that is valid by its schema; write one`
      report(path, `${idProperty} is missing`, hint)
      continue
    }
    const entry = readEntry(item, id, path, context)
    const holder = holders.get(entry.key)
    if (holder === undefined) holders.set(entry.key, position)
    else {
      const what = isSingleton
        ? `record ${holder + 1} has the same $parents`
        : `${idProperty} ${JSON.stringify(id)} is already the ${idProperty} of record ${holder + 1}`
      report(given === undefined ? path : [...path, ...idPath], what, 'give each record another id')
    }
    if (isId(id)) highest = Math.max(highest, scheme?.numberOf(id) ?? 0)
    taken.add(entry.key)
    entries.push(entry)
  }
  const lastNumber = scheme ? Math.max(highest, context.lastNumber) : 0
  return createRecords(entries, lastNumber, !scheme || highest >= context.lastNumber, isSingle)
}

/** Tells whether a collection is one object, which no path parameter places. */
export const isRootSingleton = ({ model }: Collection): boolean =>
  model.kind === 'singleton' && model.keyParents.length === 0

/** Reads one record that is not in a document. It is validated like a record of a fixture. The paths of problems begin in the record. */
export function readOneRecord(
  value: unknown,
  collection: Collection,
  { callers }: State,
): { readonly entry: NewEntry } | { readonly problems: readonly DocumentProblem[] } {
  const problems: DocumentProblem[] = []
  const isSingle = isRootSingleton(collection)
  const records = readRecords(isSingle ? value : [value], {
    collection,
    callers: new Set(callers.map(({ name }) => name)),
    lastNumber: 0,
    isFull: () => false,
    report: (path, message, hint, at = 'value') =>
      problems.push({ path: path.slice(isSingle ? 1 : 2), message, hint, at }),
  })
  const [entry] = entriesOf(records)
  return entry && problems.length === 0 ? { entry } : { problems }
}

function readEntry(item: JsonObject, id: unknown, path: readonly Segment[], context: RecordsContext): NewEntry {
  const { collection, report } = context
  const { model } = collection
  const { $access, $parents, ...properties } = item
  const isGiven = model.kind === 'singleton' || idOf(model, properties) !== undefined
  // An id that is made comes first.
  const idFirst = { [model.idPath[0] ?? '']: undefined }
  const record = deepFreeze(isGiven ? properties : withId(model, { ...idFirst, ...properties }, id))
  refuseUnknownRecordKeys(properties, path, context)
  const parents = readParentValues(collection, $parents, path, report)
  for (const error of checkRecord(model, record)) report([...path, ...error.path], error.message, 'correct the value')
  const keyParents = model.keyParents.map((parent) => parentIn(parent, record, parents))
  const access = readRecordAccess($access, [...path, '$access'], context.callers, report)
  return { key: entryKey(id, keyParents), record, access, parents }
}

/** Creates the id of a position. A plain id always has the number of its position. */
function makeId(ids: IdScheme | undefined, position: number, taken: ReadonlySet<string>, length: number) {
  const own = ids?.idOf(position)
  if (!ids || ids.isNameAndPosition || own === undefined || !taken.has(String(own))) return own
  return nextId(ids, length, (id) => taken.has(String(id)))?.id
}

/** Reads `$parents`. @returns Undefined if the collection has no such parents. */
function readParentValues(
  { model, name }: Collection,
  value: unknown,
  record: readonly Segment[],
  report: ReportProblem,
): JsonObject | undefined {
  const path = [...record, '$parents']
  const wanted = model.parents.filter(({ property }) => property === undefined)
  if (wanted.length === 0) {
    if (value !== undefined) report(path, `the records of ${name} have no $parents`, 'leave $parents out', 'key')
    return undefined
  }
  const hint = `write {${wanted.map(({ key }) => `"${key}": …`).join(', ')}}`
  const isNeeded = model.keyParents.some(({ property }) => property === undefined)
  if (value === undefined && !isNeeded) return undefined
  if (!isObject(value)) {
    if (value === undefined) report(record, '$parents is missing', hint)
    else report(path, '$parents must be an object', hint)
    return undefined
  }
  for (const key of Object.keys(value))
    if (!wanted.some((parent) => parent.key === key)) report([...path, key], `key "${key}" is not known`, hint, 'key')
  for (const { key, type } of wanted) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (given === undefined && !isNeeded) continue
    const isType = type === 'integer' ? Number.isInteger(given) : typeof given === type
    if (!isType) report([...path, key], `${key} must be ${type === 'integer' ? 'an' : 'a'} ${type}`, hint)
  }
  return Object.freeze({ ...value })
}

const maxNamesShown = 50

function readRecordAccess(
  value: unknown,
  path: readonly Segment[],
  callers: ReadonlySet<string>,
  report: ReportProblem,
): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) {
    report(path, '$access must be an array', 'list the names of callers, or leave it out for every caller')
    return undefined
  }
  const list = value as readonly unknown[]
  const names = list.filter((name): name is string => typeof name === 'string')
  const use = `use ${[...callers].slice(0, maxNamesShown).join(', ') || 'a name under $callers'}`
  for (const [position, name] of list.entries()) {
    const at = [...path, position]
    if (typeof name !== 'string' || !callers.has(name)) report(at, `${JSON.stringify(name)} is not a caller`, use)
    else if (list.indexOf(name) !== position) report(at, `"${name}" is listed twice`, 'leave one out')
  }
  return Object.freeze(names)
}

/**
 * Tells whether records may have properties that the contract does not name: if it allows them, and an operation stores what a client sends.
 * Otherwise such a property is most likely a mistake.
 */
export const storesUnknown = ({ model, operations }: Collection): boolean =>
  !model.recordModel.closed && (['create', 'replace', 'update'] as const).some((role) => operations.has(role))

function refuseUnknownRecordKeys(record: JsonObject, path: readonly Segment[], context: RecordsContext): void {
  const { collection, report } = context
  const { idPath, recordModel } = collection.model
  const isOpen = storesUnknown(collection)
  for (const key of Object.keys(record)) {
    if (recordModel.properties.has(key) || (!recordModel.closed && recordModel.requestOnly.has(key))) continue
    if ((key === outsideId && key === idPath[0]) || (isOpen && !key.startsWith('$'))) continue
    const hint = suggest(key, [...recordModel.properties.keys(), recordKeys[0]])
    report([...path, key], `key "${key}" is not known`, hint, 'key')
  }
}
