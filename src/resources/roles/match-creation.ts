/** Matches an operation that may create a record: create, and replace if 201 is documented. */
import type { Operation } from '../../contract/contract.js'
import type { CollectionModel } from '../infer/collection-model.js'
import type { RequestRecord } from './match-request-body.js'
import type { RecordResponse } from './match-success-response.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { ServerOwnedValues } from './server-owned-values.js'
import { createServerOwnedValues } from './server-owned-values.js'

/** The results of matching an operation that creates records. */
export interface CreationMatch {
  readonly filling: ServerOwnedValues
  readonly response: RecordResponse
}

/** Matches the response to a creation, and finds the properties that the server fills in. @returns Or the reason why it does not fit, as a clause. */
export function matchCreation(
  model: CollectionModel,
  operation: Operation,
  request: RequestRecord,
): CreationMatch | string {
  const response = matchSuccessResponse(model, operation, '201')
  if (typeof response === 'string') return response
  const { body, documented } = response
  const shown =
    body && documented !== undefined ? { operation, status: documented, fromBody: body.fromBody } : undefined
  const filling = createServerOwnedValues(model, request, shown)
  return typeof filling === 'string' ? filling : { filling, response }
}
