/** Turns an item of a listing into a record of a fixture. */
import type { Json } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import { storesUnknown } from '../resources/document/read-records.js'
import { checkRecord } from '../resources/infer/record-model.js'
import type { Collection } from '../resources/resources.js'
import { recordOf } from './read-listing.js'

/** A record that was read, or the reason why the item is not a record. */
export interface TakenRecord {
  /** The id. Undefined: the item has none. */
  readonly id: string | number | undefined
  /** Undefined: the record breaks the contract. */
  readonly record: JsonObject | undefined
  /** Names of properties that the contract does not have. */
  readonly dropped: readonly string[]
  /** The reason why the item is not a record, as a clause. */
  readonly reason: string | undefined
}

/**
 * Reads the record in an item, without properties that the contract does not have, and validates it.
 *
 * @param parents - The values of the path's parents by parameter.
 */
export function takeRecord(collection: Collection, item: Json, parents: JsonObject): TakenRecord {
  const { model } = collection
  const { contract, idProperty, recordModel } = model
  const sent = recordOf({ collection }, item)
  if (!sent) return { id: undefined, record: undefined, dropped: [], reason: 'it is not an object' }
  const isKept = (name: string): boolean =>
    recordModel.properties.has(name) || (storesUnknown(collection) && !name.startsWith('$'))
  const names = Object.keys(sent)
  const dropped = names.filter((name) => !isKept(name))
  const inProperties = model.parents.flatMap(({ parameter, property }) =>
    property === undefined || Object.hasOwn(sent, property) ? [] : [[property, parents[parameter]] as const],
  )
  const record = Object.fromEntries([...names.filter(isKept).map((name) => [name, sent[name]]), ...inProperties])
  const id = Object.hasOwn(record, idProperty) ? record[idProperty] : undefined
  if (typeof id !== 'string' && typeof id !== 'number')
    return { id: undefined, record: undefined, dropped, reason: `it has no ${idProperty}` }
  const [error] = checkRecord(contract, recordModel, record)
  if (error) return { id, record: undefined, dropped, reason: error.message }
  const others = model.parents.filter(({ property }) => property === undefined)
  const $parents = Object.fromEntries(others.map(({ parameter }) => [parameter, parents[parameter]]))
  return { id, record: others.length === 0 ? record : { ...record, $parents }, dropped, reason: undefined }
}
