/**
 * Validates large bodies up to the first violation. Prism lists all violations. For a body with a million invalid values, that list would
 * exceed the memory of the process.
 */
import type { ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'

import type { JsonObject } from '../../documents/object.js'
import type { Violation } from '../violation.js'

/** The maximum number of values in a body whose violations are all listed. */
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

/** Finds the first violation of a schema. Undefined if there is none. */
export type FindFirstViolation = (body: unknown) => Violation | undefined

/** Creates a function that finds the first violation of a valid schema. The schema is compiled on the first call. */
export function createFindFirstViolation(schema: JsonObject): FindFirstViolation {
  let validate: ValidateFunction | undefined
  return (body) => {
    // Formats are omitted: Prism's formats are not available here.
    validate ??= new Ajv({ strict: false, logger: false, validateSchema: false, validateFormats: false }).compile(
      schema,
    )
    if (validate(body)) return undefined
    const [error] = validate.errors ?? []
    const path = (error?.instancePath ?? '').split('/').slice(1)
    const place = path.length > 0 ? `property ${path.join('.')} ` : ''
    return {
      location: ['request', 'body', ...path],
      severity: 'Error',
      code: error?.keyword ?? 'schema',
      message: `Request body ${place}${error?.message ?? 'does not match its schema'}.`,
    }
  }
}
