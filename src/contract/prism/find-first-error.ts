/**
 * Validates large bodies up to the first error. Prism lists all errors. For a body with a million invalid values, that list would
 * exceed the memory of the process.
 */
import type { ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'

import type { JsonObject } from '../../documents/object.js'
import type { SchemaError } from './schema-errors.js'

/** The maximum number of values in a body whose errors are all listed. */
const maxListedValues = 10_000

/** Tells whether a body has more than 10,000 values. */
export function isLarge(body: unknown): boolean {
  let count = 0
  const pending: unknown[] = [body]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value) && value.length > maxListedValues) return true
    for (const key in value) {
      if (++count > maxListedValues) return true
      pending.push(value[key as keyof typeof value])
    }
  }
  return false
}

/** Creates a function that finds the first error of a body. The schema, which must be valid, is compiled on the first call. */
export function createFindFirstError(schema: JsonObject): (body: unknown) => SchemaError | undefined {
  let validate: ValidateFunction | undefined
  return (body) => {
    // Formats are omitted: Prism's formats are not available here.
    validate ??= new Ajv({ strict: false, logger: false, validateSchema: false, validateFormats: false }).compile(
      schema,
    )
    if (validate(body)) return undefined
    const [error] = validate.errors ?? []
    const path = (error?.instancePath ?? '').split('/').slice(1)
    const rule = error?.message ?? 'does not match its schema'
    return { path: ['body', ...path], severity: 'Error', code: error?.keyword ?? 'schema', rule }
  }
}
