/** Reads the order of a list that the text of an operation promises. */
import type { Operation } from '../../contract/contract.js'
import { scalarType } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import type { Entry } from '../records/records.js'
import { changeTimes, creationTimes, isNamed } from '../roles/fresh-values.js'
import { findScalar, scalarsIn, timeEndings } from './scalars.js'
import type { Selection } from './select-page.js'

const promises =
  /\breverse.chronological|\b(?:newest|latest|oldest|most recent)\b[^.]*\bfirst\b|\b(?:sort|order|return)(?:ed|s)?\b.*\b(?:(?:a|de)scending|most recent)/iu
const descends = /\bdescending|\breverse|\bnewest|\blatest|\bmost recent/iu

/** Reads the order that a description promises, such as "newest first", "in descending order of uid". Empty: none. */
export function promisedOrder({ text }: Operation, properties: ReadonlyMap<string, JsonObject>): Selection['order'] {
  const told = text.split(/\.\s|;/u).find((each) => promises.test(each) && !/\bcan be\b|\bif\b/iu.test(each))
  if (told === undefined) return []
  const scalars = scalarsIn(properties).filter(
    ({ name, schema }) => scalarType(schema) !== undefined && !name.includes('.'),
  )
  const [, named = ''] = /\b(?:by|of|on) (?:the |ascending |descending )*[`"']?(\w+)/iu.exec(told) ?? []
  const times = /\bupdat|\bmodif/iu.test(told) ? changeTimes : creationTimes
  const found = findScalar(scalars, named, timeEndings) ?? scalars.find(({ name }) => isNamed(name, times))
  const isDescending = descends.test(told)
  const bySequence = { read: ({ sequence }: Entry) => sequence, isDescending }
  return found ? [{ read: ({ record }) => found.read(record), isDescending }, bySequence] : [bySequence]
}
