/** The differences between two states. */
import { entryDocument } from '../document/record-document.js'
import { isEqual } from '../json.js'
import type { CollectionDiff, PropertyChange } from './collection-diff.js'
import type { Entry, Records } from './records.js'
import { entriesOf, findEntry, noRecords } from './records.js'
import type { State } from './state.js'

/** Compares two states, by collection. The order of records and of properties does not count. */
export function diffStates(before: State, after: State): Readonly<Record<string, CollectionDiff>> {
  const names = new Set([...before.collections.keys(), ...after.collections.keys()])
  const recordsIn = (state: State, name: string): Records => state.collections.get(name) ?? noRecords
  return Object.fromEntries(
    [...names].map((name) => [name, diffRecords(recordsIn(before, name), recordsIn(after, name))]),
  )
}

function diffRecords(before: Records, after: Records): CollectionDiff {
  if (before === after) return { added: [], removed: [], changed: {} }
  const removed = [...entriesOf(before)].filter(({ key }) => !findEntry(after, key)).map(({ key }) => key)
  const added: string[] = []
  const changed: [string, Readonly<Record<string, PropertyChange>>][] = []
  for (const entry of entriesOf(after)) {
    const other = findEntry(before, entry.key)
    if (!other) added.push(entry.key)
    else if (other !== entry) {
      const changes = changesOf(other, entry)
      if (Object.keys(changes).length > 0) changed.push([entry.key, changes])
    }
  }
  return { added, removed, changed: Object.fromEntries(changed) }
}

function changesOf(before: Entry, after: Entry): Readonly<Record<string, PropertyChange>> {
  const [old, current] = [before, after].map((entry) => new Map(Object.entries(entryDocument(entry))))
  const names = [...new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])])]
  return Object.fromEntries(
    names
      .filter((name) => !(old?.has(name) && current?.has(name) && isEqual(old.get(name), current.get(name))))
      .map((name) => [
        name,
        {
          ...(old?.has(name) ? { before: old.get(name) } : {}),
          ...(current?.has(name) ? { after: current.get(name) } : {}),
        },
      ]),
  )
}
