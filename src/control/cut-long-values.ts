import type { JsonObject } from '../documents/object.js'
import type { PropertyChange, RecordChanges } from '../resources/records/diff-types.js'

/** Replaces each value with a longer JSON text by the beginning of that text. @param length - Characters. Undefined: nothing is cut. */
export function cutRecord(record: JsonObject, length: number | undefined): JsonObject {
  if (length === undefined) return record
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cutValue(value, 0, length)]))
}

/** Does the same with the values of changes. The parts of a value before and after begin shortly before their first difference. */
export function cutChanges(changes: RecordChanges, length: number | undefined): RecordChanges {
  if (length === undefined) return changes
  return Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, cutChange(change, length)]))
}

function cutChange(change: PropertyChange, length: number): PropertyChange {
  const from = Math.max(0, commonLength(textOf(change.before), textOf(change.after)) - Math.floor(length / 4))
  return {
    ...(Object.hasOwn(change, 'before') ? { before: cutValue(change.before, from, length) } : {}),
    ...(Object.hasOwn(change, 'after') ? { after: cutValue(change.after, from, length) } : {}),
  }
}

function cutValue(value: unknown, from: number, length: number): unknown {
  const text = textOf(value)
  if (text.length <= length) return value
  const start = Math.min(from, text.length - length)
  const end = start + length
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

const textOf = (value: unknown = ''): string => (typeof value === 'string' ? value : JSON.stringify(value))

function commonLength(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at++) if (one[at] !== other[at]) return at
  return shorter
}
