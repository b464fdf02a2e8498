/** Reads a single record that is not in a document. */
import type { NewEntry } from '../records/entry.js'
import { entriesOf } from '../records/records.js'
import type { State } from '../records/state.js'
import type { Collection } from '../resources.js'
import type { DocumentProblem } from './document-problem.js'
import { readRecords } from './read-records.js'

/** A record, or all of its problems. */
export type SingleRecordResult = { readonly entry: NewEntry } | { readonly problems: readonly DocumentProblem[] }

/** Reads a record in the form of a document. It is validated like a record of a fixture. The paths of problems begin in the record. */
export function readSingleRecord(value: unknown, collection: Collection, { callers }: State): SingleRecordResult {
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
