/** Schemas as they are compiled: found to compile at all, and the same one for all that say the same. */
import type { ErrorObject } from 'ajv'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

import type { JsonObject } from '../../documents/object.js'
import { errorMessage } from '../../error-message.js'

/**
 * Schemas, and lists of parameters with theirs, by what they say. Prism keeps what it compiled for as long as the process lives, by the
 * schema's identity; so what says the same is made the same, in one contract and in one that is loaded again.
 */
const sharedValues = new Map<string, unknown>()

/** Prism's own marks differ from place to place, and say nothing. */
const textOf = (value: object): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'x-stoplight' ? undefined : inner))

/** The first value of this process that says the same. */
export function intern<T extends object>(value: T): T {
  const text = textOf(value)
  const first = sharedValues.get(text)
  if (first === undefined) sharedValues.set(text, value)
  // What says the same has the same type.
  return (first as T | undefined) ?? value
}

/** The rules for schemas. They are compiled once for all contracts, which takes longer than all else about a schema. */
const rules = new Ajv({ strict: false, logger: false })

/** JSON Schema 2020-12, as a schema names it. */
export const dialect2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Keywords that draft 7, which is compiled faster, does not have. */
const newKeywords =
  /"(?:dependentRequired|dependentSchemas|maxContains|minContains|prefixItems|unevaluatedItems|unevaluatedProperties)":/u

/** Whether a schema has to be compiled by JSON Schema 2020-12. */
export const needs2020 = (schema: object): boolean => newKeywords.test(textOf(schema))

let rules2020: Ajv2020 | undefined

/** What is wrong with a schema by the rules for schemas. Undefined: nothing. @throws {Error} Its dialect is unknown. */
export function invalidKeyword(schema: JsonObject): ErrorObject | undefined {
  const is2020 = schema['$schema'] === dialect2020 || Object.keys(schema).some((key) => newKeywords.test(`"${key}":`))
  const ajv = is2020 ? (rules2020 ??= new Ajv2020({ strict: false, logger: false })) : rules
  return ajv.validateSchema(is2020 ? { ...schema, $schema: dialect2020 } : schema) === true
    ? undefined
    : ajv.errors?.[0]
}

/** Compiles a schema. @returns Why it cannot be. */
export type Compile = (schema: JsonObject) => string | undefined

/** Compiles in the open, the same schema once: Prism swallows a failure, and then checks nothing. */
export function createCompiler(): Compile {
  // Ajv keeps what it compiles, so each contract has its own.
  const options = { strict: false, logger: false, validateSchema: false } as const
  const ajv = new Ajv(options)
  let ajv2020: Ajv2020 | undefined
  const results = new Map<string, string | undefined>()
  return (schema) => {
    const text = textOf(schema)
    if (!results.has(text)) {
      const is2020 = schema['$schema'] === dialect2020
      results.set(text, compile(is2020 ? (ajv2020 ??= new Ajv2020(options)) : ajv, JSON.parse(text) as JsonObject))
    }
    return results.get(text)
  }
}

function compile(ajv: Ajv | Ajv2020, schema: JsonObject): string | undefined {
  try {
    const broken = invalidKeyword(schema)
    if (broken) return `${broken.instancePath || 'it'} ${broken.message ?? 'is wrong'}`
    ajv.compile(schema)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}
