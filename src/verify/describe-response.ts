/** Describes what the service sends as the contract would. */
import type { Json } from '../contract/contract.js'
import { isObject, mapValues, objectOf } from '../documents/object.js'
import type { ServiceResponse } from '../pull/service-client.js'

/** Describes a response of the service, with it as the example. */
export function contentOf({ json, mediaType, status, text }: ServiceResponse): Readonly<Record<string, unknown>> {
  const type = mediaType === '' ? 'application/json' : mediaType
  if (json === undefined) return { [type]: { schema: { type: 'string' }, example: text } }
  const schema = schemaOf(json)
  // The double would put the status into an error. Other edits add theirs.
  const codes = Object.entries(objectOf(json)).filter(([, value]) => typeof value === 'number' && value !== status)
  const allowed = Object.fromEntries(codes.map(([name, value]) => [name, { type: 'integer', enum: [value] }]))
  const properties = { ...objectOf(schema['properties']), ...allowed }
  return { [type]: { schema: status < 400 || codes.length === 0 ? schema : { ...schema, properties }, example: json } }
}

/** Creates a schema that fits a value. Each property of an object is required. */
export function schemaOf(value: Json): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { type: 'array', items: value[0] === undefined ? {} : schemaOf(value[0] as Json) }
  if (isObject(value)) return { type: 'object', required: Object.keys(value), properties: mapValues(value, schemaOf) }
  if (value === null) return {}
  return { type: Number.isInteger(value) ? 'integer' : typeof value }
}
