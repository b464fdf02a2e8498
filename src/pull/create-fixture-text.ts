import type { JsonObject } from '../documents/object.js'
import { readDocument } from '../resources/document/read.js'
import { toText } from '../resources/document/write.js'
import type { Resources } from '../resources/resources.js'
import { safeLines } from '../safe-text.js'
import type { PulledState } from './pull.js'
import { RunError } from './run-limits.js'
import { sanitise } from './sanitise.js'

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
  const sanitised = isSanitised ? sanitise(document, resources, keep) : { document, notes: [] }
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
