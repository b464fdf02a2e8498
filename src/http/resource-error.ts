/** From what the resource engine refuses to an error of the table. */
import type { Operation } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'
import { createError } from '../errors.js'
import type { ResourceError } from '../resources/handler.js'

/** Makes the error of a request that a role does not serve. */
export function resourceError(refused: ResourceError, { id: operation }: Operation): DoubleError {
  const { collection, error, id = '', idProperty, validationErrors = [] } = refused
  if (error === 'unknown_record') return createError(error, { collection, id })
  if (error === 'invalid_record')
    return createError(error, { collection, validationErrors: validationErrors.map(({ message }) => message) })
  if (error === 'no_more_ids') return createError(error, { collection, operation })
  return createError(error, { collection, id, idProperty })
}
