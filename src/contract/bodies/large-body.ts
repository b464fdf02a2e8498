/**
 * Checks a body of very many values as far as its first violation. Prism lists all of them, each with a text of its own: of a body with a
 * million wrong values the list would take more memory than a process may have.
 */
import type { ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'

import type { JsonObject } from '../../documents/object.js'
import type { Violation } from '../contract.js'

/** A body with more values than this is large. */
const maxListedValues = 10_000

/** Whether a value holds so many others that a list of what is wrong with them could be too long. */
export function isLarge(body: unknown): boolean {
  let count = 0
  const open: unknown[] = [body]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value) && value.length > maxListedValues) return true
    for (const key in value) {
      if (++count > maxListedValues) return true
      open.push(value[key as keyof typeof value])
    }
  }
  return false
}

/** Finds the first violation of a schema. */
export type FirstViolation = (body: unknown) => Violation | undefined

/** Prepares to find the first violation of a schema that is known to compile. It is compiled when a body is first checked. */
export function createFirstViolation(schema: JsonObject): FirstViolation {
  let validate: ValidateFunction | undefined
  return (body) => {
    // Formats are left to Prism.
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
      message: `Request body ${place}${error?.message ?? 'breaks its schema'}.`,
    }
  }
}
