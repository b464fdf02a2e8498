/** Finds invalid schemas by the meta-schemas of JSON Schema. */
import type { ErrorObject } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

import type { JsonObject } from '../../documents/object.js'

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

/** Finds the first error of a schema by its meta-schema. Undefined if it is valid. @throws {Error} If its dialect is unknown. */
export function findSchemaError(schema: JsonObject): ErrorObject | undefined {
  const is2020 = schema['$schema'] === dialect2020 || Object.keys(schema).some((key) => newKeywords.test(`"${key}":`))
  const ajv = is2020 ? (metaSchema2020 ??= new Ajv2020(options)) : metaSchema
  return ajv.validateSchema(is2020 ? { ...schema, $schema: dialect2020 } : schema) === true
    ? undefined
    : ajv.errors?.[0]
}

/** Describes the error of a keyword, as a clause. */
export const describeSchemaError = ({ instancePath, message }: ErrorObject): string =>
  instancePath.startsWith('/type') ? 'there is no such type' : `it ${message ?? 'is invalid'}`
