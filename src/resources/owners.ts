/** Finds the properties that name the owner of a record, where a listing shows those of the caller only. */
import { scalarType } from '../contract/schemas/read-schema.js'
import { onceForObject } from '../once.js'
import type { CollectionModel } from './infer/collection-model.js'
import { inWords } from './names.js'

/** Says that a listing shows the records of its caller. */
export const isOfCaller =
  /\b(?:authenticated|current|logged[- ]?in|calling|signed[- ]?in) (?:user|customer|member|caller|account)\b|\b(?:your|my)\b/iu
const namesOwner =
  /^(?:user|owner|author|creator|account|customer|member)(?: (?:id|uuid))?$|^(?:created|owned|posted|uploaded) by$/u

/** Names of collections whose records are those of people. */
export const namesPeople = /\b(?:accounts?|customers?|members?|people|profiles?|users?)$/iu

/** Lists the scalars of a record that name its owner. Empty: no text says that its listing shows the records of the caller. */
export const ownersIn = onceForObject(({ contract, path, recordModel }: CollectionModel): ReadonlySet<string> => {
  const listing = contract.operations.find((each) => each.method === 'GET' && each.path === path)
  const isOwn = listing !== undefined && (/\/(?:me|my)\//u.test(path) || isOfCaller.test(listing.text))
  const names = [...recordModel.properties].flatMap(([name, schema]) =>
    scalarType(schema) !== undefined && namesOwner.test(inWords(name)) ? name : [],
  )
  return new Set(isOwn ? names : [])
})
