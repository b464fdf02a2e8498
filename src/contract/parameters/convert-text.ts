/** Converts texts from parameters and forms to the types of their schemas. */
import type { Json } from '../contract.js'
import { boundsOf, toNumber } from '../schemas/exact-integers.js'
import type { JsonType } from '../schemas/schema-parts.js'
import { itemSchema, propertySchema, typesOf } from '../schemas/schema-parts.js'
import type { Text } from './parameter-styles.js'

const patterns = {
  integer: /^(?:0|-?[1-9]\d*)$/u,
  number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u,
  boolean: /^(?:true|false)$/u,
}

/** The type preferred where a schema allows several: the most specific type that matches the text, or a string where strings are allowed. */
export type Preference = 'specific' | 'string'

/** Converts a text. A text that matches none of the schema's types stays a string, and fails the validation later. */
export function convertText(text: Text, schema: unknown, preference: Preference): Json {
  if (typeof text === 'string') return convertString(text, schema, preference)
  if (isList(text)) return text.map((item) => convertText(item, itemSchema(schema), preference))
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => [name, convertText(value, propertySchema(schema, name), preference)]),
  )
}

const isList = (text: Text): text is readonly Text[] => Array.isArray(text)

function convertString(text: string, schema: unknown, preference: Preference): Json {
  const types = typesOf(schema) ?? new Set<JsonType>(['string'])
  if (types.has('string') && (preference === 'string' || types.size === 1)) return text
  if (types.has('boolean') && patterns.boolean.test(text)) return text === 'true'
  const number = types.has('number') ? patterns.number : types.has('integer') ? patterns.integer : undefined
  if (number?.test(text)) return toNumber(text, boundsOf(schema))
  // RFC 6570 has no null. An empty value is the closest to it.
  if (types.has('null') && !types.has('string') && text === '') return null
  const isItem = types.has('array') && !types.has('string') && !types.has('object')
  return isItem ? [convertString(text, itemSchema(schema), preference)] : text
}
