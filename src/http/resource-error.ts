/** Converts errors of the resource engine to errors of the table. */
import type { Operation } from '../contract/contract.js'
import type { DoubleError } from '../http-errors.js'
import { createError } from '../http-errors.js'
import type { ResourceError } from '../resources/roles/role.js'

/** Creates the error of the table for an error of a role. */
export function resourceError(resourceFailure: ResourceError, { id: operation }: Operation): DoubleError {
  const { collection, error, id = '', idProperty, validationErrors = [] } = resourceFailure
  if (error === 'unknown_record') return createError(error, { collection, id })
  if (error === 'invalid_record')
    return createError(error, { collection, validationErrors: validationErrors.map(({ message }) => message) })
  if (error === 'no_more_ids') return createError(error, { collection, operation })
  return createError(error, { collection, id, idProperty })
}
