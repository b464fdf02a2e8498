import type { JsonObject } from '../../documents/object.js'
import type { OneRecordResult } from '../document/read-records.js'
import { readOneRecord } from '../document/read-records.js'
import type { State } from '../records/state.js'
import type { Collection } from '../resources.js'

/**
 * Makes a generated record valid: a property that does not fit gets its minimal value, then none; in the end all are minimal.
 *
 * @param kept - Properties that are not changed.
 * @returns Or the reason why no such record is valid, as a clause.
 */
export function repairRecord(
  made: JsonObject,
  collection: Collection,
  state: State,
  kept: ReadonlySet<string>,
): (Extract<OneRecordResult, { entry: unknown }> & { record: JsonObject }) | { readonly problem: string } {
  const { contract, recordModel } = collection.model
  const minimal = (name: string): readonly (readonly [string, unknown])[] => {
    const value = contract.generate(recordModel.properties.get(name) ?? {})
    return value === undefined ? [] : [[name, value]]
  }
  let record = made
  let problem: string | undefined
  const tried = new Set<string>()
  for (;;) {
    const result = readOneRecord(record, collection, state)
    if ('entry' in result) return { ...result, record }
    problem ??= result.problems[0]?.message ?? ''
    if (tried.has('')) return { problem }
    const name = String(result.problems[0]?.path[0])
    const isOpen = !kept.has(name) && Object.hasOwn(record, name)
    const entries = Object.entries(isOpen ? record : made).filter(([each]) => (isOpen ? each !== name : kept.has(each)))
    const added = !isOpen ? [...recordModel.required].flatMap(minimal) : tried.has(name) ? [] : minimal(name)
    record = Object.fromEntries([...added, ...entries])
    tried.add(isOpen ? name : '')
  }
}
