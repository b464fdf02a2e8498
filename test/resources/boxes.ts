/** A contract of boxes, for tests of what contracts tell. */
import { type Json, ref } from './plants-contract.js'
import { contract, crud, type Line, type Schema } from './rules-contract.js'
import { serviceOf } from './service-of.js'

/** Records with the ids `b1`, `b2` and so on. */
export const some = (count: number): readonly Json[] => Array.from({ length: count }, (_, at) => ({ id: `b${at + 1}` }))

/** Creates a service of boxes. */
export function boxes(box: Schema, more: Readonly<Record<string, Line>> = {}, records: readonly Json[] = []) {
  const all = { ...crud('/boxes', { request: box, response: ref('Box') }), ...more }
  return serviceOf(contract(all, { Box: box }), { boxes: records })
}
