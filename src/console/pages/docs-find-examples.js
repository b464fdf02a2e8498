/** Reads the examples of an OpenAPI document. */

/** Returns the `examples` of a schema. Some public contracts have an object there instead of a list. */
export const schemaExamples = (schema) => Object.values(schema?.examples ?? [])

/** Returns the examples of a media type, parameter or header. @returns {{ summary?: string, value: unknown }[]} */
export function examplesOf({ example, examples, schema }) {
  if (example !== undefined) return [{ value: example }]
  if (examples !== undefined) return Object.values(examples).filter(({ value }) => value !== undefined)
  return [schema?.example, ...schemaExamples(schema)]
    .filter((value) => value !== undefined)
    .slice(0, 1)
    .map((value) => ({ value }))
}

/** Formats an example. */
export const exampleText = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
