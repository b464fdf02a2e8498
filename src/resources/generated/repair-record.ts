/** Makes a generated record valid: replaces or leaves out what does not fit its schema, the smallest part first. */
import { propertySchema, itemSchema } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import type { OneRecordResult } from '../document/read-records.js'
import type { Collection } from '../resources.js'

type Valid = Extract<OneRecordResult, { entry: unknown }>

const maxRepairs = 40

/** @param kept - Properties that are not changed. @returns Or the reason why no such record is valid, as a clause. */
export function repairRecord(
  made: JsonObject,
  { model }: Collection,
  check: (record: JsonObject) => OneRecordResult,
  kept: ReadonlySet<string>,
): (Valid & { readonly record: JsonObject }) | { readonly problem: string } {
  const { contract, recordModel } = model
  const generated = (path: readonly Segment[]): unknown => {
    let schema: unknown = recordModel.properties.get(String(path[0]))
    for (const segment of path.slice(1))
      schema = typeof segment === 'number' ? itemSchema(schema, segment) : propertySchema(schema, segment)
    return isObject(schema) ? contract.generate(schema) : undefined
  }
  let record = made
  let problem = ''
  const tried = new Set<string>()
  for (let repairs = 0; repairs < maxRepairs; repairs += 1) {
    const result = check(record)
    if ('entry' in result) return { ...result, record }
    const [first] = result.problems
    problem ||= first?.message ?? ''
    const name = String(first?.path[0] ?? '')
    if (!first || kept.has(name)) break
    const before = record
    // At the place of the error, then around it: another value, then none.
    for (let length = first.path.length; length > 0 && record === before; length -= 1) {
      const path = first.path.slice(0, length)
      for (const step of ['replace', 'remove']) {
        const key = JSON.stringify([step, path])
        if (tried.has(key)) continue
        tried.add(key)
        const value = step === 'replace' ? generated(path) : undefined
        if (step === 'replace' && value === undefined) continue
        record = withValue(record, path, value) as JsonObject
        break
      }
    }
    if (record === before) break
  }
  const minimal = Object.fromEntries(
    [...recordModel.required].flatMap((name) => {
      const value = kept.has(name) ? made[name] : contract.generate(recordModel.properties.get(name) ?? {})
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const fixed = Object.fromEntries(Object.entries(made).filter(([name]) => kept.has(name)))
  const last = { ...minimal, ...fixed }
  const result = check(last)
  return 'entry' in result ? { ...result, record: last } : { problem }
}

/** Returns a value with another value at a path. Undefined leaves a property or an item out. */
function withValue(target: unknown, [first, ...rest]: readonly Segment[], value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(target)) {
    const items = target as readonly unknown[]
    const inner = withValue(items[Number(first)], rest, value)
    return inner === undefined ? items.toSpliced(Number(first), 1) : items.with(Number(first), inner)
  }
  const { [first]: old, ...others } = isObject(target) ? target : {}
  const inner = withValue(old, rest, value)
  if (inner === undefined) return others
  return Object.fromEntries(Object.entries({ ...(isObject(target) ? target : {}), [first]: inner }))
}
