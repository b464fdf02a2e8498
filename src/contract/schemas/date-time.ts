/**
 * RFC 3339 date-times. Prism's own check takes a space or a newline for the T, and offsets such as `+01` and `+24:00`; it gets the
 * calendar right. So its check stays, and this pattern is put beside it.
 */
import { isObject } from '../../documents/object.js'

/** What an RFC 3339 date-time looks like. */
export const dateTimePattern = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`

/** Demands the pattern wherever a dereferenced spec has `format: date-time`. Changes the spec in place. */
export function addDateTimePatterns(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const child of Object.values(value)) addDateTimePatterns(child, seen)
  if (!isObject(value) || value['format'] !== 'date-time') return
  const schema: { pattern?: unknown; allOf?: unknown } = value
  if (schema.pattern === undefined) schema.pattern = dateTimePattern
  else
    schema.allOf = [...(Array.isArray(schema.allOf) ? (schema.allOf as unknown[]) : []), { pattern: dateTimePattern }]
}
