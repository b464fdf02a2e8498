/** Lists the keywords, formats and dialects of schemas, and finds invalid schemas by the meta-schemas of JSON Schema. */
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

import type { JsonObject } from '../../documents/object.js'
import { jsonTypes } from './read-schema.js'

const words = (text: string): readonly string[] => text.trim().split(/\s+/u)

/** Keywords whose value is one schema. */
export const oneSchemaKeywords = words(`
  additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems
  unevaluatedProperties
`)
/** Keywords whose value is a list of schemas. */
export const schemaListKeywords = words('allOf anyOf oneOf prefixItems')
/** Keywords whose value is a map of schemas. */
export const schemaMapKeywords = words('properties patternProperties definitions $defs dependentSchemas')
/** Keywords whose value is not a schema. */
const valueKeywords = words(`
  $comment $ref const contentEncoding contentMediaType default dependentRequired deprecated description discriminator enum
  example examples exclusiveMaximum exclusiveMinimum externalDocs format maxContains maximum maxItems maxLength maxProperties
  minContains minimum minItems minLength minProperties multipleOf pattern readOnly required title type uniqueItems writeOnly xml
`)
/** Keywords that describe a schema and validate nothing. */
const annotationKeywords = words(`
  $comment default deprecated description discriminator example examples externalDocs title xml nullable readOnly writeOnly
`)
export const ignoredKeywords = words(
  '$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $vocabulary',
)
/** All keywords that are enforced or describe a schema. */
export const schemaKeywords: readonly string[] = [
  ...oneSchemaKeywords,
  ...schemaListKeywords,
  ...schemaMapKeywords,
  ...valueKeywords,
  '$schema',
  'nullable',
]

export const checkedFormats = words(`
  byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 json-pointer json-pointer-uri-fragment
  regex relative-json-pointer time uri uri-reference uri-template url uuid
`)
/** Formats of OpenAPI that every string matches. */
export const anyStringFormats = words('base64 binary password')

/** The known dialects: that of OpenAPI, and those of JSON Schema. */
const dialects =
  /^https?:\/\/(?:spec\.openapis\.org\/oas\/3\.1\/|json-schema\.org\/(?:draft-0[4-7]|draft\/20(?:19-09|20-12))\/schema)/u

export const isKnownDialect = (dialect: unknown): boolean => typeof dialect === 'string' && dialects.test(dialect)

/** Tells whether a keyword restricts the value. */
export const isAssertion = (key: string): boolean =>
  schemaKeywords.includes(key) && !annotationKeywords.includes(key) && key !== '$ref' && key !== '$schema'

const options = { strict: false, logger: false } as const

/** Validates schemas of draft 7. Shared by all contracts, because compiling the meta-schema takes long. */
const metaSchema = new Ajv(options)

/** The `$schema` of JSON Schema 2020-12. */
export const dialect2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Keywords that draft 7 does not have. Other schemas are compiled as draft 7, which is faster. */
const newKeywords =
  /"(?:dependentRequired|dependentSchemas|maxContains|minContains|prefixItems|unevaluatedItems|unevaluatedProperties)":/u

/** Tells whether a schema must be compiled as JSON Schema 2020-12. @param text - The schema as JSON. */
export const needs2020 = (text: string): boolean => newKeywords.test(text)

let metaSchema2020: Ajv2020 | undefined

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') && new Set(value).size === value.length

/** The values that each meta-schema allows. It is not asked for these, because it is compiled first, which takes a twentieth of a start. */
const allowed: readonly (readonly [names: RegExp, isAllowed: (value: unknown) => boolean])[] = [
  [/^(?:description|title|format|pattern|\$comment)$/u, (value) => typeof value === 'string'],
  [/^(?:readOnly|writeOnly|deprecated|uniqueItems)$/u, (value) => typeof value === 'boolean'],
  [/^(?:minimum|maximum)$/u, Number.isFinite],
  [/^(?:min|max)(?:Length|Items|Properties)$/u, (value) => Number.isInteger(value) && Number(value) >= 0],
  [/^type$/u, (value) => jsonTypes.some((type) => type === value)],
  [/^required$/u, isListOfNames],
  [/^examples$/u, Array.isArray],
]

const isAllowed = (schema: JsonObject): boolean =>
  Object.entries(schema).every(([key, value]) => allowed.find(([names]) => names.test(key))?.[1](value) === true)

/** Finds the first error of a schema by its meta-schema. Undefined if it is valid. @throws {Error} If its dialect is unknown. */
export function findSchemaError(schema: JsonObject): ErrorObject | undefined {
  if (isAllowed(schema)) return undefined
  const is2020 = schema['$schema'] === dialect2020 || Object.keys(schema).some((key) => newKeywords.test(`"${key}":`))
  const ajv = is2020 ? (metaSchema2020 ??= new Ajv2020(options)) : metaSchema
  const isValid = ajv.validateSchema(is2020 ? { ...schema, $schema: dialect2020 } : schema) === true
  return isValid ? undefined : ajv.errors?.[0]
}

/** Describes the error of a keyword, as a clause. */
export const describeSchemaError = ({ instancePath, message }: ErrorObject): string =>
  instancePath.startsWith('/type') ? 'there is no such type' : `it ${message ?? 'is invalid'}`
