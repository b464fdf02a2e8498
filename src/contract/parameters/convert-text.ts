/** Converts texts from parameters and forms to the types of their schemas. */
import type { Json } from '../contract.js'
import { parseNumberWithinBounds } from '../parse-large-integers.js'
import type { JsonType } from '../schemas/read-schema.js'
import { itemSchema, propertySchema, typesOf } from '../schemas/read-schema.js'
import type { TextValue } from './parameter-styles.js'

const patterns = {
  integer: /^(?:0|-?[1-9]\d*)$/u,
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u,
  boolean: /^(?:true|false)$/u,
}

/** The preferred type if a schema allows several: the most specific type that matches the text, or a string if strings are allowed. */
export type PreferredType = 'specific' | 'string'

/** Converts a text. A text that matches none of the schema's types stays a string, and fails the validation later. */
export function convertText(text: TextValue, schema: unknown, preferred: PreferredType): Json {
  if (typeof text === 'string') return convertString(text, schema, preferred)
  if (isList(text)) return text.map((item, index) => convertText(item, itemSchema(schema, index), preferred))
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => [name, convertText(value, propertySchema(schema, name), preferred)]),
  )
}

const isList = (text: TextValue): text is readonly TextValue[] => Array.isArray(text)

function convertString(text: string, schema: unknown, preferred: PreferredType): Json {
  const types = typesOf(schema) ?? new Set<JsonType>(['string'])
  if (types.has('string') && (preferred === 'string' || types.size === 1)) return text
  if (types.has('boolean') && patterns.boolean.test(text)) return text === 'true'
  const number = types.has('number') ? patterns.number : types.has('integer') ? patterns.integer : undefined
  if (number?.test(text)) return parseNumberWithinBounds(text, schema)
  // RFC 6570 has no null. An empty value is the closest to it.
  if (types.has('null') && !types.has('string') && text === '') return null
  const isItem = types.has('array') && !types.has('string') && !types.has('object')
  return isItem ? [convertString(text, itemSchema(schema, 0), preferred)] : text
}
