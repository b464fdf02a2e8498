/** Reads the records of a collection in a document, and a record alone. */
import { isObject } from '../../documents/object.js'
import type { JsonObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { deepFreeze } from '../freeze-compare-and-merge-json.js'
import type { Id } from '../ids/id-scheme.js'
import { nextId } from '../ids/next-id.js'
import { entryKey } from '../infer/parents.js'
import { checkRecord } from '../infer/record-model.js'
import type { NewEntry } from '../records/entry.js'
import type { Records } from '../records/records.js'
import { createRecords, entriesOf } from '../records/records.js'
import type { State } from '../records/state.js'
import type { Collection } from '../resources.js'
import type { DocumentProblem, ReportProblem } from './document-problem.js'
import { readParentValues } from './read-parent-values.js'
import { readRecordAccess } from './read-record-access.js'
import { refuseUnknownRecordKeys } from './unknown-record-keys.js'

/** The parts of a document that its records depend on. */
export interface RecordsContext {
  readonly collection: Collection
  /** Names of the callers. */
  readonly callers: ReadonlySet<string>
  /** The number of the last created id that the document states. */
  readonly lastNumber: number
  /** True if the double wrote the document. */
  readonly isOwn: boolean
  /** True if there are so many problems that no more are listed. */
  readonly isFull: () => boolean
  readonly report: ReportProblem
}

/** Reads records. A record without an id gets the id of its position. */
export function readRecords(value: unknown, context: RecordsContext): Records {
  const { collection, report } = context
  const { idProperty, ids } = collection.model
  if (!Array.isArray(value)) {
    report([collection.name], `${collection.name} must be an array`, 'list its records; [] is none')
    return createRecords([], 0, true)
  }
  const list = value as readonly unknown[]
  const taken = takenKeys(list, idProperty)
  const holders = new Map<string, number>()
  const entries: NewEntry[] = []
  let highest = list.length
  for (const [position, item] of list.entries()) {
    if (context.isFull()) break
    const path = [collection.name, position]
    if (!isObject(item)) {
      report(path, 'a record must be an object', 'write {…}')
      continue
    }
    const given = Object.hasOwn(item, idProperty) ? item[idProperty] : undefined
    const id = given === undefined ? makeId(context, position + 1, taken, list.length) : given
    if (id === undefined) {
      report(
        path,
        `${idProperty} is missing`,
        `the double cannot create an ${idProperty} that is valid by its schema; write one`,
      )
      continue
    }
    const entry = readEntry(item, id, path, context)
    const holder = holders.get(entry.key)
    const at = given === undefined ? path : [...path, idProperty]
    if (holder === undefined) holders.set(entry.key, position)
    else
      report(
        at,
        `${idProperty} ${JSON.stringify(id)} is already the ${idProperty} of record ${holder + 1}`,
        'give each record another id',
      )
    if (typeof id === 'string' || typeof id === 'number') highest = Math.max(highest, ids?.numberOf(id) ?? 0)
    taken.add(entry.key)
    entries.push(entry)
  }
  const makesIds = ids !== undefined && collection.operations.has('create')
  const lastNumber = makesIds ? Math.max(highest, context.lastNumber) : 0
  return createRecords(entries, lastNumber, !makesIds || highest >= context.lastNumber)
}

/** A record, or all of its problems. */
export type OneRecordResult = { readonly entry: NewEntry } | { readonly problems: readonly DocumentProblem[] }

/** Reads one record that is not in a document. It is validated like a record of a fixture. The paths of problems begin in the record. */
export function readOneRecord(value: unknown, collection: Collection, { callers }: State): OneRecordResult {
  const problems: DocumentProblem[] = []
  const records = readRecords([value], {
    collection,
    callers: new Set(callers.map(({ name }) => name)),
    lastNumber: 0,
    isOwn: false,
    isFull: () => false,
    report: (path, message, hint, at = 'value') => problems.push({ path: path.slice(2), message, hint, at }),
  })
  const [entry] = entriesOf(records)
  return entry && problems.length === 0 ? { entry } : { problems }
}

function readEntry(item: JsonObject, id: unknown, path: readonly Segment[], context: RecordsContext): NewEntry {
  const { collection, report } = context
  const { contract, idProperty, recordModel } = collection.model
  const { $access, $parents, ...properties } = item
  const isGiven = Object.hasOwn(properties, idProperty)
  const record = deepFreeze(isGiven ? properties : { ...Object.fromEntries([[idProperty, id]]), ...properties })
  refuseUnknownRecordKeys(properties, path, context)
  const parents = readParentValues(collection, $parents, path, report)
  for (const error of checkRecord(contract, recordModel, record))
    report([...path, ...error.path], error.message, 'correct the value')
  return {
    key: entryKey(
      id,
      collection.model.keyParents.map(({ key, property }) =>
        property === undefined ? parents?.[key] : record[property],
      ),
    ),
    record,
    access: readRecordAccess($access, [...path, '$access'], context.callers, report),
    parents,
  }
}

function takenKeys(list: readonly unknown[], idProperty: string): Set<string> {
  const keys = new Set<string>()
  for (const item of list) if (isObject(item) && Object.hasOwn(item, idProperty)) keys.add(String(item[idProperty]))
  return keys
}

/** Creates the id of a position. A plain id always has the number of its position. */
function makeId(
  { collection }: RecordsContext,
  position: number,
  taken: ReadonlySet<string>,
  length: number,
): Id | undefined {
  const { ids } = collection.model
  const own = ids?.idOf(position)
  if (!ids || ids.isNameAndPosition || own === undefined || !taken.has(String(own))) return own
  return nextId(ids, length, (id) => taken.has(String(id)))?.id
}
