/** Makes schemas of examples, for responses whose schema tells nothing of their content. Prism validates by the documented schema. */
import { isObject, type JsonObject, listOf, mapValues, objectAt, objectOf } from '../../documents/object.js'

/** The properties that hold the content of a response. */
const wrapperName = /^(?:data|response|items?|results?|records?)$/iu

/**
 * Returns the schema of a response, or one that also tells what an example shows: that of the response, or of the schema.
 *
 * @param example - Undefined: there is none.
 * @param isError - True: it requires what the example has.
 * @param around - The schemas around it.
 */
export function withExample(
  schema: JsonObject,
  example: () => unknown,
  isError = false,
  around: readonly JsonObject[] = [],
): JsonObject {
  if (isUntold(schema)) {
    const shown = example() ?? schema['example'] ?? listOf(schema['examples'])[0]
    return shown !== null && typeof shown === 'object' ? schemaOf(shown, isError) : schema
  }
  return isError ? schema : withContent(schema, example, around)
}

/**
 * Returns a schema, also that of an `allOf`, in which the properties that hold the content tell what an example shows of it.
 * @param around - The schemas around it. One that contains itself stays as it is inside of itself.
 */
function withContent(schema: JsonObject, example: () => unknown, around: readonly JsonObject[]): JsonObject {
  if (around.includes(schema)) return schema
  const inside = [...around, schema]
  const properties = mapValues(objectAt(schema, 'properties'), (property, name) =>
    wrapperName.test(name) && isObject(property)
      ? withExample(property, () => objectOf(example())[name], false, inside)
      : property,
  )
  const parts = listOf(schema['allOf']).map((part) => (isObject(part) ? withContent(part, example, inside) : part))
  const isChanged =
    Object.entries(properties).some(([name, property]) => objectAt(schema, 'properties')[name] !== property) ||
    parts.some((part, at) => part !== listOf(schema['allOf'])[at])
  if (!isChanged) return schema
  return { ...schema, properties, ...(parts.length > 0 ? { allOf: parts } : {}) }
}

/** Tells whether a schema allows any object, or any list, and says no more than that. */
function isUntold(schema: JsonObject, around: readonly JsonObject[] = []): boolean {
  if (around.includes(schema)) return true
  const { items, type, ...rest } = schema
  const isAny = type === undefined || type === 'object' || type === 'array'
  const others = Object.keys(rest).filter((key) => !/^(?:description|title|examples?|nullable)$/u.test(key))
  return (
    isAny && others.length === 0 && (items === undefined || (isObject(items) && isUntold(items, [...around, schema])))
  )
}

function schemaOf(example: unknown, isError: boolean): JsonObject {
  if (Array.isArray(example)) return { type: 'array', items: schemaOf((example as unknown[])[0], isError) }
  if (isObject(example)) {
    const properties = mapValues(example, (value) => schemaOf(value, isError))
    return { type: 'object', properties, ...(isError ? { required: Object.keys(example) } : {}) }
  }
  if (example === null || example === undefined) return {}
  return { type: Number.isInteger(example) ? 'integer' : typeof example, example }
}
