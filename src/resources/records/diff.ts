/** Finds the differences between two states. */
import { type JsonObject, mapValues } from '../../documents/object.js'
import { differingKeys } from '../json.js'
import type { CollectionDiff, RecordChanges, RecordsChanged } from './diff-types.js'
import { entriesOf, type Entry, entryDocument, findEntry, type Records } from './records.js'
import { recordsOf, type State } from './state.js'

/**
 * Compares two states, by collection. The order of records and of properties does not count.
 *
 * @param limit - The most records of each kind in a collection. Their number is then counted. Default: all.
 */
export function diffStates(before: State, after: State, limit?: number): Readonly<Record<string, CollectionDiff>> {
  const names = new Set([...before.collections.keys(), ...after.collections.keys()])
  return Object.fromEntries(
    [...names].map((name) => [name, diffRecords(recordsOf(before, name), recordsOf(after, name), limit)]),
  )
}

/** Returns the keys of records that were added and removed between two states, the last one first. */
export function goneBetween(before: Records, after: Records): readonly string[] {
  const removed = after.removed.filter(({ key }) => !findEntry(before, key) && !findEntry(after, key))
  return [...new Set(removed.map(({ key }) => key).toReversed())]
}

export interface StateChange {
  readonly before: State
  readonly after: State
}

const maxDescribed = 20

/** Describes a change, by collection, with the records. Collections that have not changed are left out. */
export function describeChange({ after, before }: StateChange): Readonly<Record<string, RecordsChanged>> {
  const described = Object.entries(diffStates(before, after, maxDescribed)).map(([name, diff]) => {
    const { added, changed, counts = noCounts, removed } = diff
    const documents = (keys: readonly string[], state: State): RecordsChanged['added'] =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const entry = findEntry(recordsOf(state, name), key)
          return entry ? [[key, entryDocument(entry)]] : []
        }),
      )
    const changes = mapValues(changed, sidesOf)
    return [
      name,
      { added: documents(added, after), removed: documents(removed, before), changed: changes, counts },
    ] as const
  })
  return Object.fromEntries(described.filter(([, { counts }]) => Object.values(counts).some((count) => count > 0)))
}

const sidesOf = (changes: RecordChanges): RecordsChanged['changed'][string] => {
  const side = (when: 'after' | 'before'): JsonObject =>
    Object.fromEntries(
      Object.entries(changes).flatMap(([name, change]) => (Object.hasOwn(change, when) ? [[name, change[when]]] : [])),
    )
  return { before: side('before'), after: side('after') }
}

const noCounts = { added: 0, changed: 0, removed: 0 }

/** Compares a record with that of the same key in other records. @returns `added`: there is none. Undefined: nothing changed. */
export function changesSince(before: Records, entry: Entry): RecordChanges | 'added' | undefined {
  const other = findEntry(before, entry.key)
  if (!other) return 'added'
  const changes = other === entry ? {} : changesOf(other, entry)
  return Object.keys(changes).length > 0 ? changes : undefined
}

function diffRecords(before: Records, after: Records, limit?: number): CollectionDiff {
  const isShared = (at: number): boolean => before.chunks.at(at) === after.chunks.at(at)
  const least = Math.min(before.chunks.length, after.chunks.length)
  let [start, end] = [0, 0]
  while (start < least && isShared(start)) start++
  while (end < least - start && isShared(-1 - end)) end++
  // Nothing differs in the shared chunks: a change of one record leaves one chunk of each.
  const own = ({ chunks }: Records): Pick<Records, 'chunks'> => ({ chunks: chunks.slice(start, chunks.length - end) })
  const removed = [...entriesOf(own(before))].filter(({ key }) => !findEntry(after, key)).map(({ key }) => key)
  const added: string[] = []
  const changed: [string, RecordChanges][] = []
  for (const entry of entriesOf(own(after))) {
    const changes = changesSince(before, entry)
    if (changes === 'added') added.push(entry.key)
    else if (changes) changed.push([entry.key, changes])
  }
  const counts = { added: added.length, removed: removed.length, changed: changed.length }
  return {
    added: added.slice(0, limit),
    removed: removed.slice(0, limit),
    changed: Object.fromEntries(changed.slice(0, limit)),
    ...(limit === undefined ? {} : { counts }),
  }
}

function changesOf(before: Entry, after: Entry): RecordChanges {
  const [old, current] = [entryDocument(before), entryDocument(after)]
  return Object.fromEntries(
    differingKeys(old, current).map((name) => [
      name,
      {
        ...(Object.hasOwn(old, name) ? { before: old[name] } : {}),
        ...(Object.hasOwn(current, name) ? { after: current[name] } : {}),
      },
    ]),
  )
}
