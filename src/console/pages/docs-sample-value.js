/** Samples of request bodies, for contracts that have examples for properties only. */
import { schemaExamples } from './docs-find-examples.js'
import { resolve } from './docs-resolve-reference.js'

/** Maximum depth of a sample, because a schema may contain itself. */
const maxDepth = 5

/** Values by type, for schemas without an example or default. */
const plain = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} }

/** Creates a value from the examples, defaults and types of a schema. It may be invalid; the user edits it. */
export function sampleValue(document, node, depth = 0) {
  const schema = resolve(document, node)
  const { allOf = [], anyOf = [], const: only, default: usual, enum: values = [], example } = schema
  const given = [example, ...schemaExamples(schema), only, usual, ...values].find((value) => value !== undefined)
  if (given !== undefined || depth > maxDepth) return given ?? null
  const sample = (inner) => sampleValue(document, inner, depth + 1)
  const [alternative] = schema.oneOf ?? anyOf
  const parts = [...allOf, ...(alternative === undefined ? [] : [alternative])].map(sample)
  if (schema.properties === undefined && parts.length === 1) return parts[0]
  if (schema.properties === undefined && parts.length === 0)
    return schema.items === undefined ? (plain[[schema.type].flat()[0]] ?? null) : [sample(schema.items)]
  const sent = Object.entries(schema.properties ?? {}).filter(([, property]) => !resolve(document, property).readOnly)
  return Object.assign({}, ...parts, Object.fromEntries(sent.map(([name, property]) => [name, sample(property)])))
}
