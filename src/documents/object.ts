/** JSON objects of unknown content. */

/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object, which null and arrays are not. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
