/** Writes a record in the form of a document: its properties, then the keys of the double. */
import type { Entry, NewEntry } from '../records/entry.js'

/** Keys of a record in a document that belong to the double. */
export const recordKeys = ['$access', '$parents'] as const

/** Writes a record in the form of a document. */
export const entryDocument = ({ record, access, parents }: NewEntry): Readonly<Record<string, unknown>> =>
  access === undefined && parents === undefined
    ? record
    : {
        ...record,
        ...(access === undefined ? {} : { $access: access }),
        ...(parents === undefined ? {} : { $parents: parents }),
      }

/** Writes a record as a line of a document. */
export const entryText = (entry: Entry): string => `    ${JSON.stringify(entryDocument(entry))}`
