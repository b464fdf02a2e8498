/** Reads the parents of a record that are not properties of the record. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import type { Collection } from '../resources.js'
import type { ReportProblem } from './document-problem.js'

/** Reads `$parents`. @returns Undefined if the collection has no such parents. */
export function readParentValues(
  { model, name }: Collection,
  value: unknown,
  record: readonly Segment[],
  report: ReportProblem,
): JsonObject | undefined {
  const path = [...record, '$parents']
  const wanted = model.parents.filter(({ property }) => property === undefined)
  if (wanted.length === 0) {
    if (value !== undefined) report(path, `the records of ${name} have no $parents`, 'leave $parents out', 'key')
    return undefined
  }
  const hint = `write {${wanted.map(({ key }) => `"${key}": …`).join(', ')}}`
  const isNeeded = model.keyParents.some(({ property }) => property === undefined)
  if (value === undefined && !isNeeded) return undefined
  if (!isObject(value)) {
    report(
      value === undefined ? record : path,
      `$parents ${value === undefined ? 'is missing' : 'must be an object'}`,
      hint,
    )
    return undefined
  }
  for (const key of Object.keys(value))
    if (!wanted.some((parent) => parent.key === key)) report([...path, key], `key "${key}" is not known`, hint, 'key')
  for (const { key, type } of wanted) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    if (given === undefined && !isNeeded) continue
    const isType = type === 'integer' ? Number.isInteger(given) : typeof given === type
    if (!isType) report([...path, key], `${key} must be ${type === 'integer' ? 'an' : 'a'} ${type}`, hint)
  }
  return Object.freeze({ ...value })
}
