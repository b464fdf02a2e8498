/** Finds schemas that Prism cannot compile. Prism accepts every value for such a schema, and reports nothing. */
import type { JsonObject } from '../../documents/object.js'
import type { MessageKind, SchemaError } from './schema-errors.js'
import { notValidated } from './schema-errors.js'

/** A value that no schema of `withMarkerRefused` allows. */
export const markerValue = '\0'

const known = new WeakMap<JsonObject, JsonObject>()

/** Returns a schema that does not allow the refused value. The same schema gives the same result. */
export function withMarkerRefused(schema: JsonObject): JsonObject {
  const refused = { const: markerValue }
  const not = Object.hasOwn(schema, 'not') ? { anyOf: [schema['not'], refused] } : refused
  const result = known.get(schema) ?? { ...schema, not }
  known.set(schema, result)
  return result
}

/** Tells whether a schema is compiled: whether it refuses the value. @param validateMarker - Called once for each key. */
export type IsSchemaCompiled = (key: string, validateMarker: () => readonly SchemaError[]) => boolean

/** Creates a check that caches its results. @param onCompiled - Called for each schema that is compiled. */
export function createSchemaCompiledCheck(onCompiled: () => void = () => {}): IsSchemaCompiled {
  const results = new Map<string, boolean>()
  return (key, validateMarker) => {
    const previous = results.get(key)
    if (previous !== undefined) return previous
    const result = validateMarker().some(({ path }) => path[0] === 'body')
    results.set(key, result)
    if (result) onCompiled()
    return result
  }
}

/** Creates the error of a message whose schema is not compiled. */
export const uncompiled = (side: MessageKind): SchemaError =>
  notValidated(['body'], 'uncompiled', `The ${side} cannot be checked, because its schema does not compile`)
