/** Interns equal schemas, so that each is compiled once. */
import { hash } from 'node:crypto'

import type { JsonObject } from '../../documents/object.js'
import { dialect2020, needs2020 } from '../schemas/find-schema-error.js'

/**
 * The interned values by the hash of their JSON text. Prism caches compiled schemas by identity until the process ends. Without interning,
 * each operation and each reload of a spec would fill that cache again.
 */
const internedValues = new Map<string, unknown>()

/** Leaves out Prism's identifiers, which differ in equal schemas. */
const textOf = (value: object): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'x-stoplight' ? undefined : inner))

/** Returns the first value of this process that has the same JSON text. */
export const intern = <T extends object>(value: T): T => internText(textOf(value), () => value)

/**
 * Returns the first schema of this process that has the same JSON text. It is marked as JSON Schema 2020-12 if it needs that.
 *
 * @param isMarked - True to mark it in any case, because of the definitions that it refers to.
 */
export function internSchema(schema: JsonObject, isMarked: boolean): JsonObject {
  const text = textOf(schema)
  return isMarked || needs2020(text)
    ? internText(`${dialect2020} ${text}`, () => ({ ...schema, $schema: dialect2020 }))
    : internText(text, () => schema)
}

/** Tells whether definitions use keywords of JSON Schema 2020-12. */
export const haveNewKeywords = (definitions: JsonObject): boolean => needs2020(textOf(definitions))

function internText<T>(text: string, create: () => T): T {
  const key = hash('sha256', text)
  const known = internedValues.get(key)
  if (known === undefined) internedValues.set(key, create())
  // Values with the same text have the same type.
  return internedValues.get(key) as T
}
