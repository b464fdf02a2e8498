/** Creates a template for a new record. */
import type { JsonObject } from '../../documents/object.js'
import type { Collection } from '../resources.js'

/** A placeholder of each type for a parent. The user replaces it. */
const unknownParents = { string: '', integer: 0, number: 0, boolean: false } as const

/**
 * Returns a record in the form of a document, from the first example of the contract that shows a record. It has no id if the double
 * generates ids. Empty if no example shows a record.
 */
export function newRecordTemplate({ model }: Collection): JsonObject {
  const { contract, idProperty, ids, parents, shown } = model
  const record = shown
    .map(({ fromBody, operation, status }) => fromBody(contract.example(operation, status)))
    .find((each) => each !== undefined)
  const properties = Object.entries(record ?? {}).filter(([name]) => name !== idProperty || !ids)
  const outside = parents.filter(({ property }) => property === undefined)
  return {
    ...Object.fromEntries(properties),
    ...(outside.length > 0
      ? { $parents: Object.fromEntries(outside.map(({ key, type }) => [key, unknownParents[type]])) }
      : {}),
  }
}
