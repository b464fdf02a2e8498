/**
 * The pattern of an RFC 3339 date-time. Prism's own check of the format accepts a space or a newline in place of the T, and offsets such as
 * `+01` and `+24:00`. Prism's check covers the calendar too, so the format stays in the schema.
 */
export const dateTimePattern = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`
