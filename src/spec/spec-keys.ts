/** The keys of a spec whose values are data, and those whose own keys are names. */
import type { Segment } from '../documents/pointer.js'

/** The keys whose values are data. A `$ref` in data is not a reference. */
const dataKeys: ReadonlySet<string> = new Set(['example', 'value', 'dataValue', 'default', 'enum', 'const'])

/** The keys of objects whose own keys are names that the author of the spec chose, such as those of properties. */
const mapKeys =
  /^(?:properties|patternProperties|dependentSchemas|\$defs|definitions|schemas|examples|headers|parameters|requestBodies|responses|securitySchemes|links|callbacks|pathItems|mediaTypes|webhooks|encoding)$/u

/** Tells whether the value of a key is data: of a named example, only `value` is. @param path - That of the parent. */
export function isData(key: string, path: readonly Segment[], value: unknown): boolean {
  if (hasNames(path)) return path.at(-1) === 'responses' && key.startsWith('x-')
  return dataKeys.has(key) || (key === 'examples' && Array.isArray(value)) || key.startsWith('x-')
}

/** Tells whether the keys of an object are names. The schema of a property named `properties` has keywords, not names. */
export const hasNames = (path: readonly Segment[]): boolean =>
  mapKeys.test(String(path.at(-1))) && !hasNames(path.slice(0, -1))
