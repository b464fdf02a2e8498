/** Creates the ids of new records. */
import type { Id, IdScheme } from './id-scheme.js'

/** Creates the next id that no record has or had. @returns Undefined if there is none. */
export function nextId(
  ids: IdScheme,
  lastNumber: number,
  isUsed: (id: Id) => boolean,
): { readonly id: Id; readonly number: number } | undefined {
  for (let number = lastNumber + 1; ; number += 1) {
    const id = ids.idOf(number)
    if (id === undefined) return undefined
    if (!isUsed(id)) return { id, number }
  }
}
