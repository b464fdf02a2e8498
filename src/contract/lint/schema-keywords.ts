/** Lists the keywords, formats and dialects of schemas. */
import { jsonTypes } from '../schemas/read-schema.js'

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
/** Keywords of JSON Schema that are ignored. */
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

/** Formats that are checked. */
export const checkedFormats = words(`
  byte date date-time double duration email float hostname int32 int64 ipv4 ipv6 json-pointer json-pointer-uri-fragment
  regex relative-json-pointer time uri uri-reference uri-template url uuid
`)
/** Formats of OpenAPI that every string matches. */
export const anyStringFormats = words('base64 binary password')

/** The hint for an invalid pattern. */
export const patternHint = 'write a JavaScript regular expression'

/** Hints for keywords that are often invalid. */
export const keywordHints: ReadonlyMap<string, string> = new Map([
  ['type', `use ${jsonTypes.join(', ')}`],
  ['pattern', patternHint],
  ['required', 'list the names of the required properties, such as [content]'],
  ['enum', 'list the allowed values'],
])

/** The known dialects: that of OpenAPI, and those of JSON Schema. */
const dialects =
  /^https?:\/\/(?:spec\.openapis\.org\/oas\/3\.1\/|json-schema\.org\/(?:draft-0[4-7]|draft\/20(?:19-09|20-12))\/schema)/u

/** Tells whether a dialect is supported. */
export const isKnownDialect = (dialect: unknown): boolean => typeof dialect === 'string' && dialects.test(dialect)

/** Tells whether a keyword restricts the value. */
export const isAssertion = (key: string): boolean =>
  schemaKeywords.includes(key) && !annotationKeywords.includes(key) && key !== '$ref' && key !== '$schema'

/** Tells whether a keyword describes a schema and validates nothing. */
export const isAnnotation = (key: string): boolean => annotationKeywords.includes(key)
