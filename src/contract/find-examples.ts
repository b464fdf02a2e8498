/** Finds the examples of a parameter, a header or a media type. */
import type { Cursor } from './references.js'

/** Lists the examples, then those of the schema, then the values that the schema states by `default` and `const`. */
export function examplesAt(described: Cursor): readonly unknown[] {
  const schema = described.at('schema')
  const named = described.at('examples').children()
  const ofSchema = schema.at('examples').children()
  return [
    described.at('example'),
    ...named.map(([, example]) => example.at('value')),
    schema.at('example'),
    ...ofSchema.map(([, example]) => example),
    schema.at('default'),
    schema.at('const'),
  ].flatMap(({ value }) => (value === undefined ? [] : [value]))
}
