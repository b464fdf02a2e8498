/** Compiles schemas to find invalid ones, and interns equal schemas. */
import type { ErrorObject } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

import type { JsonObject } from '../../documents/object.js'
import { errorMessage } from '../../error-message.js'

/**
 * The interned values by their JSON text. Prism caches compiled schemas by identity until the process ends. Without interning, each reload of a
 * spec would fill that cache again.
 */
const internedValues = new Map<string, unknown>()

/** Leaves out Prism's identifiers, which differ in equal schemas. */
const textOf = (value: object): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'x-stoplight' ? undefined : inner))

/** Returns the first value of this process that has the same JSON text. */
export function intern<T extends object>(value: T): T {
  const text = textOf(value)
  const first = internedValues.get(text)
  if (first === undefined) internedValues.set(text, value)
  // Values with the same text have the same type.
  return (first as T | undefined) ?? value
}

/** Options of Ajv. Optimizing the code takes half of the time to compile it, and this code runs rarely or never. */
const options = { strict: false, logger: false, code: { optimize: false } } as const

/** Validates schemas of draft 7. Shared by all contracts, because compiling the meta-schema takes long. */
const metaSchema = new Ajv(options)

/** The `$schema` of JSON Schema 2020-12. */
export const dialect2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Keywords that draft 7 does not have. Other schemas are compiled as draft 7, which is faster. */
const newKeywords =
  /"(?:dependentRequired|dependentSchemas|maxContains|minContains|prefixItems|unevaluatedItems|unevaluatedProperties)":/u

/** Tells whether a schema must be compiled as JSON Schema 2020-12. */
export const needs2020 = (schema: object): boolean => newKeywords.test(textOf(schema))

let metaSchema2020: Ajv2020 | undefined

/** Finds the first error of a schema by its meta-schema. Undefined if it is valid. @throws {Error} If its dialect is unknown. */
export function findSchemaError(schema: JsonObject): ErrorObject | undefined {
  const is2020 = schema['$schema'] === dialect2020 || Object.keys(schema).some((key) => newKeywords.test(`"${key}":`))
  const ajv = is2020 ? (metaSchema2020 ??= new Ajv2020(options)) : metaSchema
  return ajv.validateSchema(is2020 ? { ...schema, $schema: dialect2020 } : schema) === true
    ? undefined
    : ajv.errors?.[0]
}

/** Compiles a schema. @returns Why it does not compile. Undefined if it does. */
export type Compile = (schema: JsonObject) => string | undefined

/** Creates a compiler that reports errors. Prism ignores them, and then does not check the value. Equal schemas are compiled once. */
export function createCompiler(): Compile {
  // Ajv keeps every compiled schema, so each contract has its own instance.
  const ajv = new Ajv({ ...options, validateSchema: false })
  let ajv2020: Ajv2020 | undefined
  const results = new Map<string, string | undefined>()
  return (schema) => {
    const text = textOf(schema)
    if (!results.has(text)) {
      const is2020 = schema['$schema'] === dialect2020
      results.set(
        text,
        compile(
          is2020 ? (ajv2020 ??= new Ajv2020({ ...options, validateSchema: false })) : ajv,
          JSON.parse(text) as JsonObject,
        ),
      )
    }
    return results.get(text)
  }
}

function compile(ajv: Ajv | Ajv2020, schema: JsonObject): string | undefined {
  try {
    const invalid = findSchemaError(schema)
    if (invalid) return `${invalid.instancePath || 'it'} ${invalid.message ?? 'is invalid'}`
    ajv.compile(schema)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}
