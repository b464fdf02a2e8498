/** Finds schemas that Prism cannot compile. Prism lets every value pass by such a schema, and says nothing. */
import type { JsonObject } from '../../documents/object.js'
import type { Violation } from '../contract.js'

/** A value that no schema with a probe allows. */
export const probe = '\0'

const known = new WeakMap<JsonObject, JsonObject>()

/** Returns a schema that does not allow the probe. The same schema gives the same result. */
export function withProbe(schema: JsonObject): JsonObject {
  const refused = { const: probe }
  const not = Object.hasOwn(schema, 'not') ? { anyOf: [schema['not'], refused] } : refused
  const result = known.get(schema) ?? { ...schema, not }
  known.set(schema, result)
  return result
}

/** Tells whether a schema is compiled: whether it refuses the probe. @param validateProbe - Called once for each key. */
export type IsCompiled = (key: string, validateProbe: () => readonly Violation[]) => boolean

/** Creates a test that remembers its results. */
export function createCompiledTest(): IsCompiled {
  const results = new Map<string, boolean>()
  return (key, validateProbe) => {
    const result = results.get(key) ?? validateProbe().some(({ location }) => location[1] === 'body')
    results.set(key, result)
    return result
  }
}

/** Creates the violation of a message whose schema is not compiled. */
export const uncompiled = (side: 'request' | 'response'): Violation => ({
  location: [side, 'body'],
  severity: 'Error',
  code: 'uncompiled',
  message: `The ${side} cannot be checked, because its schema does not compile.`,
})
