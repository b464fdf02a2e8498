/** The changes that the control plane has made to a state, which can be undone one after the other, the last one first. */
import { isEqual } from '../resources/json.js'
import { entriesOf, findEntry, type Records, withEntriesOf } from '../resources/records/records.js'
import { recordsOf, type State, withRecords } from '../resources/records/state.js'

/** A change that can be undone. */
export interface UndoableChange {
  /** The operation of the control plane, such as `replaceRecord`. */
  readonly operation: string
  /** The collection and the keys of the changed records. Missing: the whole state. */
  readonly collection?: string
  readonly keys?: readonly string[]
  /** The number of these that were removed by `changeRecords`. It has restored the others. */
  readonly removed?: number
  /** RFC 3339. */
  readonly time: string
}

export interface KeptChange<Origin> {
  readonly change: UndoableChange
  readonly before: State
  readonly after: State
  readonly origin: Origin
}

/** The most changes of a sandbox that can be undone. */
export const maxKeptChanges = 20

/**
 * Takes a change back. Records that have changed elsewhere since stay as they are.
 * @returns Undefined: a record of the change has changed since, so that it cannot be taken back.
 */
export function takeBack({ after, before }: KeptChange<unknown>, present: State): State | undefined {
  const { callers, description, origin } = before
  const names = new Set([...before.collections.keys(), ...after.collections.keys()])
  const head = { callers, description, origin }
  let state: State | undefined = present.callers === after.callers ? { ...present, ...head } : undefined
  for (const name of names) {
    const [old, changed, now] = [recordsOf(before, name), recordsOf(after, name), recordsOf(present, name)]
    if (old === changed) continue
    const records = changed === now ? old : takeBackRecords(old, changed, now)
    state = state && records && withRecords(state, name, records)
  }
  return state
}

function takeBackRecords(old: Records, changed: Records, now: Records): Records | undefined {
  const keys = new Set([...entriesOf(old), ...entriesOf(changed)].map(({ key }) => key))
  const touched = [...keys].filter((key) => findEntry(old, key) !== findEntry(changed, key))
  const isSame = (key: string): boolean => isEqual(findEntry(changed, key)?.record, findEntry(now, key)?.record)
  return touched.every(isSame) ? withEntriesOf(now, old, touched) : undefined
}
