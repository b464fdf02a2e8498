/** Samples of request bodies, for contracts whose examples are only at their properties. */
import { schemaExamples } from './docs-examples.js'
import { resolve } from './docs-references.js'

/** Deeper schemas have no sample: they may contain themselves. */
const maxDepth = 5

/** Values by type, where a schema gives none. */
const plain = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} }

/** Makes a value from the examples, defaults and types of a schema. It need not fit the schema; the user edits it. */
export function sampleOf(document, node, depth = 0) {
  const schema = resolve(document, node)
  const { allOf = [], anyOf = [], const: only, default: usual, enum: values = [], example } = schema
  const given = [example, ...schemaExamples(schema), only, usual, ...values].find((value) => value !== undefined)
  if (given !== undefined || depth > maxDepth) return given ?? null
  const sample = (inner) => sampleOf(document, inner, depth + 1)
  const [alternative] = schema.oneOf ?? anyOf
  const parts = [...allOf, ...(alternative === undefined ? [] : [alternative])].map(sample)
  if (schema.properties === undefined && parts.length === 1) return parts[0]
  if (schema.properties === undefined && parts.length === 0)
    return schema.items === undefined ? (plain[[schema.type].flat()[0]] ?? null) : [sample(schema.items)]
  const sent = Object.entries(schema.properties ?? {}).filter(([, property]) => !resolve(document, property).readOnly)
  return Object.assign({}, ...parts, Object.fromEntries(sent.map(([name, property]) => [name, sample(property)])))
}
