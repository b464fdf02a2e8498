export type JsonObject = Readonly<Record<string, unknown>>

/** Tells whether a value is a JSON object. Null and arrays are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
