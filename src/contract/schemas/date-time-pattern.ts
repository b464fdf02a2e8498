/**
 * Checks date-times against RFC 3339 by a pattern. Prism's own check of the format accepts a space or a newline in place of the T, and
 * offsets such as `+01` and `+24:00`. Prism's check covers the calendar too, so the format stays in the schema.
 */
import { isObject } from '../../documents/object.js'
import { addPattern } from './unicode-patterns.js'

/** The pattern of an RFC 3339 date-time. */
export const dateTimePattern = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`

/** Adds the pattern to each `format: date-time` of a dereferenced spec, in place. */
export function addDateTimePatterns(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const child of Object.values(value)) addDateTimePatterns(child, seen)
  if (isObject(value) && value['format'] === 'date-time') addPattern(value, dateTimePattern)
}
