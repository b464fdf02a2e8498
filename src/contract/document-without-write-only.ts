/** A document without `writeOnly` properties: values for responses are generated from it. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import { resolveReference } from './references.js'

/** Copies a document whose references are not resolved, without its `writeOnly` properties. */
export function documentWithoutWriteOnly(document: JsonObject): JsonObject {
  const isMarked = (schema: unknown): boolean => {
    const { $ref, writeOnly } = isObject(schema) ? schema : {}
    if (typeof $ref !== 'string') return writeOnly === true
    const target = resolveReference(document, $ref)?.value
    return isObject(target) && target['writeOnly'] === true
  }
  const leaveOut = (_key: string, value: unknown): unknown => {
    if (!isObject(value) || !isObject(value['properties'])) return value
    const sent = Object.entries(value['properties']).filter(([, schema]) => !isMarked(schema))
    return { ...value, properties: Object.fromEntries(sent) }
  }
  return JSON.parse(JSON.stringify(document, leaveOut)) as JsonObject
}
