import type { JsonObject } from '../../documents/object.js'
import { declaredTypes } from './object-schema.js'

/** Returns the only scalar type that a schema allows, except null. Undefined: it allows several, or none. */
export function scalarType(schema: JsonObject): 'string' | 'integer' | 'number' | 'boolean' | undefined {
  const [type, ...others] = declaredTypes(schema).filter((each) => each !== 'null')
  if (others.length > 0) return undefined
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined
}
